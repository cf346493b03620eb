// navigation.h: the contract of navigation: its knobs, its rules, its world, and what the walker sees. What it means is
// in docs/games/navigation.md, down to the order of the float operations; the twin is held to that page.
//
// Metres, seconds. Y up, X east, Z south; with no turn the head looks to -Z. A place is where the body stands; the
// camera is head_height above it. Obstacles and pits are square cells of a grid around the origin.
#ifndef SL_NAVIGATION_H
#define SL_NAVIGATION_H

#include "../common/game.h"
#include "../common/rng.h"

#define NAVIGATION_VERSION "2"
#define NAVIGATION_EVENTS 8             // kept in one step
#define NAVIGATION_GRID 35              // most cells a side
#define NAVIGATION_CELL 2.0f            // metres a side of a cell
#define NAVIGATION_RAYS 16
#define NAVIGATION_RAY 5.0f             // metres that a ray reaches
#define NAVIGATION_NEAR 3               // cells around one's own that a ray can reach
#define NAVIGATION_MARGIN 4.0f          // metres of grid beyond the farthest goal
#define NAVIGATION_SPAWN 5.0f           // metres from the centre at most
#define NAVIGATION_LEAST_GOAL 10.0f     // metres from the centre at least: twice NAVIGATION_SPAWN, so that nobody starts on the goal
#define NAVIGATION_FELL -10.0f          // metres; the camera below this has fallen
#define NAVIGATION_GRAVITY 9.8f
#define NAVIGATION_FAST 0.8f            // share of the top speed beyond which comfort is lost
#define NAVIGATION_TURNING 0.7f         // turn command beyond which comfort is lost
#define NAVIGATION_ROLL 0.3f            // rad of roll beyond which comfort is lost
#define NAVIGATION_LEAN 8.0f            // per second, how fast a head follows its lean
#define NAVIGATION_VIGNETTE_LOW 5.0f    // m/s2 at which the vignette starts
#define NAVIGATION_VIGNETTE_HIGH 20.0f  // m/s2 at which it is full
#define NAVIGATION_VIGNETTE_MOST 0.7f   // its intensity then
#define NAVIGATION_VIGNETTE_RATE 5.0f   // per second toward the target
#define NAVIGATION_VISIBLE 0.01f        // intensity that can be seen
#define NAVIGATION_JERK 100.0f          // m/s3 beyond which a tick counts as a jolt
#define NAVIGATION_APART 0.5f           // s without contact before the next contact is a new collision
#define NAVIGATION_STRIDE 1.4f          // metres of two steps of the feet, one swing of a hand
#define NAVIGATION_SWING 0.12f          // metres a hand swings forth and back
#define NAVIGATION_HAND_SIDE 0.25f      // metres from the middle
#define NAVIGATION_HAND_DOWN 0.55f      // below the camera
#define NAVIGATION_HAND_AHEAD 0.35f

// Every setting, once: name, kind, low, high, default, comfort, unit, choices, text.
#define NAVIGATION_KNOBS(X)                                                                                            \
    X(layout, SL_CHOICE, 0, 3, 1, 1, "", "open|course|maze|any", "what stands between start and goal; any: drawn anew for each episode") \
    X(task_id, SL_FLAG, 0, 1, 0, 0, "", "", "the walker sees which of the three layouts it is in, as three more numbers") \
    X(max_goal_distance, SL_FLOAT, 10, 30, 30, 30, "m", "", "of the goal from the centre; a curriculum takes 10, 20, 30") \
    X(obstacles, SL_FLOAT, 0, 1, 0.4, 0.4, "", "", "course: share of the posts of the grid that stand")                \
    X(openness, SL_FLOAT, 0, 1, 0.5, 0.5, "", "", "maze: share of the walls that are left out")                        \
    X(pits, SL_FLOAT, 0, 0.5, 0, 0, "", "", "share of the posts that are pits")                                        \
    X(edge, SL_CHOICE, 0, 1, 0, 0, "", "wall|drop", "what is at the border of the grid")                               \
    X(time_limit, SL_FLOAT, 1, 600, 100, 100, "s", "", "length of an episode; running out of it is a truncation")      \
    X(tick_rate, SL_INTEGER, 30, 240, 90, 90, "1/s", "", "ticks of physics a second")                                  \
    X(ticks_per_step, SL_INTEGER, 1, 30, 9, 9, "", "", "ticks a decision lasts")                                       \
    X(max_movement_speed, SL_FLOAT, 0.5, 4, 2, 2, "m/s", "", "at full command")                                        \
    X(max_rotation_speed, SL_FLOAT, 10, 360, 90, 90, "deg/s", "", "at full command")                                   \
    X(turning, SL_CHOICE, 0, 1, 0, 0, "", "smooth|snap", "at a rate, or by an angle at once")                          \
    X(snap_angle, SL_FLOAT, 15, 180, 45, 45, "deg", "", "snap: of one turn")                                           \
    X(snap_threshold, SL_FLOAT, 0, 0.95, 0.7, 0.7, "", "", "snap: a turn command beyond this turns")                   \
    X(snap_cooldown, SL_FLOAT, 0, 2, 0.3, 0.3, "s", "", "snap: until the next turn")                                   \
    X(dead_zone, SL_FLOAT, 0, 0.5, 0.1, 0.1, "", "", "commands up to this count as none")                              \
    X(action_smoothing, SL_FLOAT, 0, 0.95, 0.3, 0.5, "", "", "share of the old command that a decision leaves")        \
    X(player_radius, SL_FLOAT, 0.1, 0.8, 0.4, 0.4, "m", "", "of the capsule that is the body")                         \
    X(head_height, SL_FLOAT, 1, 2.2, 1.6, 1.6, "m", "", "of the camera above the floor")                               \
    X(goal_radius, SL_FLOAT, 0.3, 3, 1, 1, "m", "", "the goal is reached this near on the floor")                      \
    X(max_collisions, SL_INTEGER, 1, 100, 10, 10, "", "", "an episode ends with so many")                              \
    X(goal_reached, SL_FLOAT, 0, 1000, 100, 100, "", "", "for reaching the goal")                                      \
    X(progress, SL_FLOAT, 0, 10, 1, 1, "1/m", "", "per metre nearer to the goal on the floor")                         \
    X(comfort_bonus, SL_FLOAT, 0, 100, 8, 9.5, "", "", "what a comfortable episode keeps of it; lost with discomfort") \
    X(discomfort, SL_FLOAT, 0, 100, 1, 3, "1/s", "", "how fast full discomfort takes the comfort bonus away")          \
    X(collision_penalty, SL_FLOAT, 0, 100, 10, 10, "", "", "cost of a collision")                                      \
    X(fall_penalty, SL_FLOAT, 0, 1000, 50, 50, "", "", "cost of a fall")                                               \
    X(timeout_penalty, SL_FLOAT, 0, 1000, 20, 20, "", "", "cost of running out of time")                               \
    X(allow_farming, SL_FLAG, 0, 1, 0, 0, "", "", "accept terms that can pay more than the goal")

#define NAVIGATION_KNOB_NAME(name, ...) NAVIGATION_KNOB_##name,
typedef enum { NAVIGATION_KNOBS(NAVIGATION_KNOB_NAME) NAVIGATION_KNOB_COUNT } NavigationKnob;

typedef enum { NAVIGATION_OPEN, NAVIGATION_COURSE, NAVIGATION_MAZE, NAVIGATION_TASKS, NAVIGATION_ANY = NAVIGATION_TASKS } NavigationLayout;
typedef enum {
    NAVIGATION_WALKING, NAVIGATION_GOAL, NAVIGATION_DROPPED, NAVIGATION_BATTERED, NAVIGATION_TIMEOUT
} NavigationEnding;

// Reward terms, in the order in which they are added up.
typedef enum {
    NAVIGATION_PROGRESS, NAVIGATION_COMFORT, NAVIGATION_REACHED, NAVIGATION_COLLIDED, NAVIGATION_FALLEN, NAVIGATION_LATE,
    NAVIGATION_TERMS
} NavigationTerm;

typedef enum {
    NAVIGATION_EVENT_START, NAVIGATION_EVENT_COLLISION, NAVIGATION_EVENT_VIGNETTE, NAVIGATION_EVENT_FALL,
    NAVIGATION_EVENT_GOAL, NAVIGATION_EVENT_TIMEOUT, NAVIGATION_EVENT_KINDS
} NavigationEventKind;

// What the walker sees, in this order.
typedef struct {
    float position[3], rotation[4], velocity[3], angular_velocity[3];   // of the camera; m, x y z w, m/s, rad/s
    float rays[NAVIGATION_RAYS];                        // m, in world axes: ray 0 along +X, then toward +Z
    float left_hand[3], right_hand[3], left_hand_velocity[3], right_hand_velocity[3];
    float goal[3], goal_distance, goal_direction[3];    // from where the body stands
} NavigationObservation;

#define NAVIGATION_SEES 48              // floats; with task_id, one for each layout more
SL_STATIC_ASSERT(sizeof(NavigationObservation) == NAVIGATION_SEES * sizeof(float), "an observation is 48 floats without gaps");

typedef struct {
    int layout, task_id, snaps, edge, tick_rate, ticks_per_step, limit, max_collisions, apart_ticks;
    int cells;                                  // a side, odd
    float half;                                 // metres from the centre to the end of the grid
    float dt, inv_dt, max_goal, obstacles, openness, pits;
    float speed, turn, turn_dt;                 // m/s; rad/s; turns a tick at full command
    float snap, snap_threshold;                 // turns; command
    int snap_ticks;                             // between two
    float dead_zone, stretch;                   // stretch: 1 / (1 - dead_zone)
    float blend;                                // share of the new command that a tick takes over
    float radius, head_height, goal_radius, fall;       // fall: m/s a tick
    float lean_blend, vignette_blend, fast;     // shares a tick; m/s
    float lose;                                 // comfort bonus lost in a tick of full discomfort
    float weight[NAVIGATION_TERMS];
    float low[NAVIGATION_TERMS], high[NAVIGATION_TERMS];        // what each term can sum up to in an episode
} NavigationRules;

// Where a body is at the end of a tick: all that the hands hang on.
typedef struct { float x, y, z, yaw, roll, walked; } NavigationPose;

typedef struct {
    SlRng rng;
    int32_t tick, steps, step_ticks, ending, collisions, falling;
    int32_t since_contact;                      // ticks
    int32_t layout;                             // of this episode
    int32_t snap_turns, snap_wait;              // so far; ticks until the next
    NavigationPose pose, before;                // now, and a tick earlier
    float fall_speed;                           // m/s, upward
    float vx, vz, ax, az;                       // of the last tick: m/s, m/s2
    float yaw_rate, roll_rate;                  // rad/s
    float strafe, ahead, rotate;                // smoothed commands
    float goal_x, goal_z, distance;             // on the floor
    float vignette, bonus_left;
    float score_sum, vignette_sum, vignette_peak;
    int32_t vignette_ticks, hard_ticks, jolt_ticks;     // visible, above 20 m/s2, above 100 m/s3
    float start_distance;
    float sums[NAVIGATION_TERMS];
    int32_t event_count;
    SlEvent events[NAVIGATION_EVENTS];
    uint64_t walls[NAVIGATION_GRID], holes[NAVIGATION_GRID];    // bit i of row j: the cell at column i
} NavigationWorld;

SL_FN void navigation_event(NavigationWorld *w, int kind, float a, float b, float c) {
    if (w->event_count >= NAVIGATION_EVENTS) return;
    SlEvent *event = &w->events[w->event_count++];
    event->kind = kind;
    event->values[0] = a;
    event->values[1] = b;
    event->values[2] = c;
    event->values[3] = 0.0f;
}

#endif
