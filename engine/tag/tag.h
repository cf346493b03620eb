// tag.h: the contract of tag: its knobs, its rules, its world, and what an agent sees. What it means is
// in docs/games/tag.md, down to the order of the float operations; the twins are held to that page.
//
// Metres, seconds, ticks. Y up, X east, Z south. A body is a cube; its position is the middle of its
// bottom face. TagRules is what the world is, TagWorld what it is doing: plain data, memcpy saves it.
#ifndef SL_TAG_H
#define SL_TAG_H

#include "../common/game.h"
#include "../common/rng.h"

#define TAG_VERSION "2"
#define TAG_AGENTS 8                    // most agents in one world
#define TAG_BOXES 12                    // most obstacles
#define TAG_RAYS 36
#define TAG_RAY_LANES 40                // rays padded to whole vectors of eight
#define TAG_RAY_TYPES 3                 // none, wall, agent
#define TAG_SKIN 0.001f                 // metres kept between a body and what stopped it sideways
#define TAG_HALF_SKIN 0.0005f
#define TAG_SPAWN_TRIES 64              // an agent, before everybody goes to the lattice
#define TAG_LATTICE 8                   // most cells a side of the lattice
#define TAG_BOX_TRIES 12                // a box, before it is left out
#define TAG_BOX_NARROW 0.8f
#define TAG_BOX_WIDE 3.0f
#define TAG_REACH_MOST 0.75             // metres; less than the narrowest box, so that nobody is touched through one
#define TAG_LOW_MIN 0.6f                // above the eye of a standing body, so no box is invisible
#define TAG_LOW_MAX 1.2f                // below the apex of a jump, so it can be jumped on
#define TAG_TALL_MIN 2.0f
#define TAG_TALL_MAX 3.0f
#define TAG_GAP_EDGES 1.3f              // free room around a box, in body edges
#define TAG_FAR 1e9f                    // metres; farther than anything, still far from overflow

// Every setting, once: name, kind, low, high, default, reference, unit, choices, text.
#define TAG_KNOBS(X)                                                                                                   \
    X(mode, SL_CHOICE, 0, 1, 0, 0, "", "timed|switch", "timed: a touch ends it; switch: a touch passes the role on")   \
    X(layout, SL_CHOICE, 0, 1, 0, 0, "", "rays|reference84", "what an observation holds")                              \
    X(recall, SL_FLAG, 0, 1, 0, 0, "", "", "append where the agent itself last saw a body, and how long ago")          \
    X(privileged, SL_FLAG, 0, 1, 0, 0, "", "", "append the nearest opponent's place and speed, for a critic only")        \
    X(seekers, SL_INTEGER, 1, 7, 1, 1, "", "", "agents that seek at the start")                                        \
    X(hiders, SL_INTEGER, 1, 7, 1, 1, "", "", "agents that hide at the start; with the seekers at most 8")             \
    X(first_is_seeker, SL_FLAG, 0, 1, 1, 1, "", "", "the first agents are the seekers; off: the last ones")            \
    X(time_limit, SL_FLOAT, 1, 120, 10, 10, "s", "", "length of a match")                                              \
    X(immunity_s, SL_FLOAT, 0.1, 10, 1.5, 1.5, "s", "", "after a pass neither of the two can pass or be touched")      \
    X(head_start_s, SL_FLOAT, 0, 30, 0, 0, "s", "", "seekers stand still for so long")                                 \
    X(tick_rate, SL_INTEGER, 30, 240, 60, 60, "1/s", "", "ticks of physics a second")                                  \
    X(ticks_per_step, SL_INTEGER, 1, 12, 3, 3, "", "", "ticks a decision lasts")                                       \
    X(arena_half, SL_FLOAT, 4, 14.8, 10, 14.8, "m", "", "from the centre to the inner face of a wall")                 \
    X(wall_height, SL_FLOAT, 0.5, 10, 2, 2, "m", "", "for drawing only: nothing gets over a wall")                     \
    X(obstacles, SL_INTEGER, 0, 12, 8, 0, "", "", "boxes to place; one that finds no room is left out")                \
    X(low_share, SL_FLOAT, 0, 1, 0.5, 0.5, "", "", "share of boxes low enough to jump on")                             \
    X(spawn_separation, SL_FLOAT, 2, 20, 6, 6, "m", "", "least distance between agents at the start")                  \
    X(spawn_margin, SL_FLOAT, 0.8, 13, 1, 8.8, "m", "", "from a wall to the nearest place an agent starts at")         \
    X(body_edge, SL_FLOAT, 0.5, 1.5, 1, 1, "m", "", "edge of the cube that is a body")                                 \
    X(reach, SL_FLOAT, 0.01, TAG_REACH_MOST, 0.1, 0.3, "m", "", "bodies this near on every axis touch")                \
    X(top_speed, SL_FLOAT, 1, 12, 8, 8, "m/s", "", "horizontal speed at full input")                                   \
    X(acceleration, SL_FLOAT, 1, 100, 20, 20, "m/s2", "", "toward the wanted velocity")                                \
    X(deceleration, SL_FLOAT, 1, 100, 30, 30, "m/s2", "", "to rest, with no input")                                    \
    X(gravity, SL_FLOAT, 1, 30, 9.8, 9.8, "m/s2", "", "downward")                                                      \
    X(jump_speed, SL_FLOAT, 0, 8, 5.5, 5.5, "m/s", "", "upward speed of a jump")                                       \
    X(coyote_s, SL_FLOAT, 0, 0.5, 0.1, 0.1, "s", "", "a jump still works so long after leaving the floor")             \
    X(turn_rate, SL_FLOAT, 30, 1440, 360, 360, "deg/s", "", "how fast the eyes turn at most")                          \
    X(turn_control, SL_FLAG, 0, 1, 0, 0, "", "", "a fourth action turns the eyes; off: they follow the movement")      \
    X(seeker_speed, SL_FLOAT, 0.25, 1.5, 1, 1, "", "", "seekers' share of top_speed")                                  \
    X(hider_speed, SL_FLOAT, 0.25, 1.5, 1, 1, "", "", "hiders' share of top_speed")                                    \
    X(vision_range, SL_FLOAT, 1, 40, 15, 15, "m", "", "how far a ray sees")                                            \
    X(field_of_view, SL_FLOAT, 30, 180, 120, 120, "deg", "", "from the first ray to the last")                         \
    X(seeker_progress, SL_FLOAT, 0, 10, 0.14, 0.14, "1/m", "", "seeker: per metre closed to the nearest hider")        \
    X(seeker_time, SL_FLOAT, 0, 10, 0.1, 0.1, "1/s", "", "seeker: cost of a second")                                   \
    X(tag_bonus, SL_FLOAT, 0, 1000, 10, 10, "", "", "seeker: for a touch in timed")                                    \
    X(seeker_timeout, SL_FLOAT, 0, 1000, 6, 6, "", "", "seeker: cost of running out of time")                          \
    X(hider_progress, SL_FLOAT, 0, 10, 0.14, 0.14, "1/m", "", "hider: per metre opened to the nearest seeker")         \
    X(hider_survival, SL_FLOAT, 0, 10, 0.2, 0.2, "1/s", "", "hider: for a second in play")                             \
    X(tagged_penalty, SL_FLOAT, 0, 1000, 10, 10, "", "", "hider: cost of being touched in timed")                      \
    X(hider_timeout, SL_FLOAT, 0, 1000, 6, 6, "", "", "hider: for lasting to the end")                                 \
    X(pass_bonus, SL_FLOAT, 0, 1000, 6, 6, "", "", "switch: for passing the role on, and the cost of getting it")      \
    X(allow_farming, SL_FLAG, 0, 1, 0, 0, "", "", "accept shaping that can pay more than winning")

#define TAG_KNOB_NAME(name, ...) TAG_KNOB_##name,
typedef enum { TAG_KNOBS(TAG_KNOB_NAME) TAG_KNOB_COUNT } TagKnob;

typedef enum { TAG_TIMED, TAG_SWITCH } TagMode;
typedef enum { TAG_LAYOUT_RAYS, TAG_LAYOUT_REFERENCE } TagLayout;
typedef enum { TAG_HIDER, TAG_SEEKER } TagRole;                    // also the value of a seeker flag
typedef enum { TAG_NOBODY, TAG_SEEKER_WINS, TAG_HIDER_WINS } TagWinner;
typedef enum { TAG_NOT_ENDED, TAG_BY_TOUCH, TAG_BY_TIME } TagReason;

// Reward terms; a seeker's four, then a hider's four, in the order in which they are added up.
typedef enum {
    TAG_SEEKER_PROGRESS, TAG_SEEKER_TIME, TAG_SEEKER_TAG, TAG_SEEKER_TIMEOUT,
    TAG_HIDER_PROGRESS, TAG_HIDER_SURVIVAL, TAG_HIDER_TAGGED, TAG_HIDER_TIMEOUT,
    TAG_TERMS
} TagTerm;

typedef enum {
    TAG_EVENT_START, TAG_EVENT_TAG, TAG_EVENT_PASS, TAG_EVENT_TIMEOUT,
    TAG_EVENT_JUMP, TAG_EVENT_LAND, TAG_EVENT_SIGHT, TAG_EVENT_KINDS
} TagEventKind;

// What a seeker or hider sees, in this order; every entry in [-1, 1]. TagRecalled and TagPrivileged may follow.
typedef struct {
    float place[3], velocity[3], on_floor, facing[2];   // self
    float time_left;                                    // clock
    float seeker, immunity;                             // roles
    float rays[TAG_RAYS][1 + TAG_RAY_TYPES];            // distance, then one-hot none, wall, agent
} TagObservation;

// The layout of the project this game grew from; what is divided there may exceed 1 here too.
typedef struct {
    float place[2], velocity[2], opponent_place[2], opponent_velocity[2];
    float seeker, opponent_seeker, facing[2];
    float rays[TAG_RAYS][2];                            // distance, is an agent
} TagReference;

// What an agent remembers of the last body it saw, ahead and to the right of the eyes; all zero before the first.
typedef struct { float bearing[2], distance, velocity[2], fresh; } TagRecalled;

typedef struct { float opponent_place[2], opponent_velocity[2]; } TagPrivileged;

SL_STATIC_ASSERT(TAG_REACH_MOST + 2.0 * TAG_SKIN < TAG_BOX_NARROW, "no touch reaches through a box");
SL_STATIC_ASSERT(sizeof(TagObservation) == 156 * sizeof(float), "layout rays is 156 floats without gaps");
SL_STATIC_ASSERT(sizeof(TagReference) == 84 * sizeof(float), "layout reference84 is 84 floats without gaps");
SL_STATIC_ASSERT(sizeof(TagRecalled) == 6 * sizeof(float), "the recall block is 6 floats");
SL_STATIC_ASSERT(sizeof(TagPrivileged) == 4 * sizeof(float), "the privileged block is 4 floats");
SL_STATIC_ASSERT(TAG_RAY_LANES % 8 == 0 && TAG_RAY_LANES >= TAG_RAYS, "rays fill whole vectors");

typedef struct {
    int mode, layout, recall, privileged, agents, seekers, hiders, first_is_seeker, turn_control, obstacles;
    int tick_rate, ticks_per_step, limit, immune_ticks, coyote_ticks, head_start_ticks;
    float dt, half_dt, step_s;                  // seconds; of a whole step
    float accelerate, brake, fall;              // m/s a tick
    float jump_speed, speed[2], max_speed;      // m/s; speed by TagRole
    float turn, turn_cos, turn_sin;             // most a facing turns in a tick: in turns, and its cosine and sine
    float arena_half, wall_height, edge, half;  // metres; half an edge
    float wall;                                 // furthest |x| and |z| of a body
    float grow;                                 // what a box grows by so that a body becomes a point
    float beside, apart, over;                  // bodies: overlap sideways below, stop at, overlap in height below
    float touch;                                // bodies nearer than this on each axis touch
    float travel;                               // more than a body moves sideways in a step
    float spawn_half, separation, gap, spacing, low_share;
    int cells;                                  // a side of the lattice of fallback places
    float vision_range, inv_arena, inv_speed, inv_range, inv_limit, inv_immune;
    float seeker_progress, seeker_time, tag_bonus, seeker_timeout;
    float hider_progress, hider_survival, tagged_penalty, hider_timeout;
    float worst[TAG_TERMS];                     // most a shaping term can pay between two touches; 0 for outcomes
    float ray_cos[TAG_RAY_LANES], ray_sin[TAG_RAY_LANES];    // to the left of the facing; padding repeats the last
} TagRules;

// Where an agent believes the last body it saw to be.
typedef struct {
    float x, z, vx, vz;                         // metres, m/s
    float fresh;                                // 1 in view, fading; 0: nothing seen yet
} TagRecall;

typedef struct {
    SlRng rng;
    int32_t tick, steps, step_ticks;            // step_ticks: ticks of the last step
    int32_t winner, reason;                     // TagWinner, TagReason
    int32_t box_count, event_count;             // events of the last step, those that found no room too
    int32_t first_seen_tick;                    // a seeker saw a hider; -1 before
    int32_t jumps, tags;
    float x[TAG_AGENTS], y[TAG_AGENTS], z[TAG_AGENTS];
    float vx[TAG_AGENTS], vy[TAG_AGENTS], vz[TAG_AGENTS];
    float fx[TAG_AGENTS], fz[TAG_AGENTS];       // facing, a unit vector
    float distance[TAG_AGENTS];                 // to the nearest opponent; 0 when there is none
    float progress[TAG_AGENTS];                 // metres closed in the last step
    int32_t coyote[TAG_AGENTS], immunity[TAG_AGENTS];    // ticks left
    int32_t tags_made[TAG_AGENTS], times_tagged[TAG_AGENTS];     // in the last step
    uint8_t seeker[TAG_AGENTS], in_play[TAG_AGENTS], on_floor[TAG_AGENTS];
    uint8_t seen[TAG_AGENTS];                   // bit j: agent j was in view when the agent last looked
    TagRecall recall[TAG_AGENTS];               // kept only with the knob
    float min_x[TAG_BOXES], max_x[TAG_BOXES], min_z[TAG_BOXES], max_z[TAG_BOXES], top[TAG_BOXES];
    float lo_x[TAG_BOXES], hi_x[TAG_BOXES], lo_z[TAG_BOXES], hi_z[TAG_BOXES];   // grown by a body
    float sums[TAG_AGENTS][TAG_TERMS];          // what each term paid so far
    float distance_sum[2];                      // by TagRole, over distance_count agent-steps
    int32_t distance_count[2];
    SlEvent events[SL_MAX_EVENTS];
} TagWorld;

// What an agent wants of one step, in the frame of the world.
typedef struct {
    float want_x, want_z;                       // m/s
    float to_x, to_z;                           // where the eyes turn, when moving
    float spin_cos, spin_sin;                   // with turn_control: the turn of each tick
    int moving, leap;
} TagIntent;

// What the rays of one agent met. Lanes beyond TAG_RAYS mean nothing.
typedef struct {
    float distance[TAG_RAY_LANES];
    float none[TAG_RAY_LANES], wall[TAG_RAY_LANES], agent[TAG_RAY_LANES];       // 0 or 1
    uint8_t seen;
} TagSight;

SL_FN void tag_event(TagWorld *world, int kind, float a, float b, float c) {
    if (world->event_count < SL_MAX_EVENTS) {
        SlEvent *event = &world->events[world->event_count];
        event->kind = kind;
        event->values[0] = a;
        event->values[1] = b;
        event->values[2] = c;
        event->values[3] = 0.0f;
    }
    world->event_count++;
}

#endif
