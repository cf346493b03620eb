// landing.h: the contract of landing: its knobs, its rules, its world, and what the pilot sees. What it means is in
// docs/games/landing.md, down to the order of the float operations; the twin is held to that page.
//
// Metres, seconds, kilograms, newtons. Y up; the pad's centre is the origin. A position is the craft's centre of mass.
// Attitude is two angles, pitch about X and roll about Z, in turns; a gyro holds the heading.
#ifndef SL_LANDING_H
#define SL_LANDING_H

#include "../common/game.h"
#include "../common/rng.h"

#define LANDING_VERSION "1"
#define LANDING_EVENTS 8                // kept in one step; a step makes at most six
#define LANDING_RAY 100.0f              // metres that the ray down to the terrain reaches
#define LANDING_NO_HIT 1000.0f          // what it gives beyond
#define LANDING_SEEN_SPEED 10.0f        // in 50 m/s; a faster craft is seen as this fast
#define LANDING_SEEN_SPIN 50.0f         // rad/s, likewise
#define LANDING_FLAT 15.0f              // metres around the pad's centre that are level
#define LANDING_RISE 60.0f              // metres over which the terrain then rises to its full height
#define LANDING_HULL 1.0f               // metres; radius of the hull around the centre of mass
#define LANDING_NEARNESS 10.0f          // metres from the pad at which nearness is one half
#define LANDING_ERROR_HALF 10.0f        // m/s off the wanted velocity at which half of braking is lost
#define LANDING_LAST_SPEED 1.0f         // m/s; the wanted descent never goes below
#define LANDING_LAST_TIME 3.0f          // s; the wanted time to the pad never goes below
#define LANDING_HOVER 1.1               // least thrust, in weights of the fuelled craft
#define LANDING_OVERSHOOT 25.0f         // metres; more than a craft is past a bound when that is noticed
#define LANDING_LOW_FUEL 0.1f           // share of the fuel at which the event low_fuel tells it

// Every setting, once: name, kind, low, high, default, disturbed, unit, text.
#define LANDING_KNOBS(X)                                                                                               \
    X(time_limit, SL_FLOAT, 5, 600, 100, 100, "s", "length of an episode; running out of it is a truncation")          \
    X(tick_rate, SL_INTEGER, 30, 240, 90, 90, "1/s", "ticks of physics a second")                                      \
    X(ticks_per_step, SL_INTEGER, 1, 30, 9, 9, "", "ticks a decision lasts")                                           \
    X(altitude_min, SL_FLOAT, 40, 3000, 500, 500, "m", "lowest start above the pad")                                   \
    X(altitude_max, SL_FLOAT, 40, 3000, 1000, 1000, "m", "highest start above the pad")                                \
    X(start_offset, SL_FLOAT, 0, 500, 200, 200, "m", "start at most this far from the pad, in X and in Z")             \
    X(start_speed, SL_FLOAT, 0, 50, 10, 10, "m/s", "horizontal start speed at most, in X and in Z")                    \
    X(start_fall, SL_FLOAT, 0, 60, 20, 20, "m/s", "downward start speed at most")                                      \
    X(start_tilt, SL_FLOAT, 0, 60, 0, 20, "deg", "pitch and roll at the start at most")                                \
    X(start_spin, SL_FLOAT, 0, 1, 0, 0.2, "rad/s", "pitch and roll rate at the start at most")                         \
    X(gravity, SL_FLOAT, 0.5, 15, 9.8, 9.8, "m/s2", "downward")                                                        \
    X(dry_mass, SL_FLOAT, 100, 5000, 500, 500, "kg", "of the craft without fuel")                                      \
    X(fuel, SL_FLOAT, 10, 2000, 200, 200, "kg", "fuel at the start")                                                   \
    X(max_thrust, SL_FLOAT, 1000, 200000, 10000, 10000, "N", "of the engines together, in any direction")              \
    X(exhaust_speed, SL_FLOAT, 500, 10000, 2940, 2940, "m/s", "thrust per kilogram of fuel a second")                  \
    X(rcs_torque, SL_FLOAT, 10, 10000, 500, 500, "N m", "at full rcs_pitch or rcs_roll; uses no fuel")                 \
    X(gyration, SL_FLOAT, 0.3, 5, 1.2, 1.2, "m", "radius of gyration: inertia is mass times its square")               \
    X(spin_damping, SL_FLOAT, 0, 5, 0.5, 0.5, "1/s", "how fast the gyro takes spin away")                              \
    X(leg_length, SL_FLOAT, 1.1, 4, 1.5, 1.5, "m", "from the centre of mass down to the plane of the feet")            \
    X(leg_spread, SL_FLOAT, 0.5, 4, 1.5, 1.5, "m", "of the four feet from the middle, in X and in Z")                  \
    X(terrain_height, SL_FLOAT, 0, 20, 6, 6, "m", "highest hill and deepest valley away from the pad")                 \
    X(terrain_wavelength, SL_FLOAT, 60, 1000, 150, 150, "m", "from hill to hill")                                      \
    X(pad_radius, SL_FLOAT, 0.5, 15, 2, 2, "m", "a landing this near to the pad's centre is on the pad")               \
    X(soft_speed, SL_FLOAT, 0.1, 10, 2, 2, "m/s", "fastest soft landing")                                              \
    X(hard_speed, SL_FLOAT, 0.1, 20, 5, 5, "m/s", "fastest landing; faster is a crash")                                \
    X(max_tilt, SL_FLOAT, 1, 45, 15, 15, "deg", "a landing that leans more is a crash")                                \
    X(bounds, SL_FLOAT, 50, 2000, 600, 600, "m", "farthest from the pad in X and in Z")                                \
    X(ceiling, SL_FLOAT, 50, 4000, 1500, 1500, "m", "highest above the pad")                                           \
    X(progress, SL_FLOAT, 0, 10, 0.01, 0.01, "1/m", "per metre nearer to the pad")                                     \
    X(centering, SL_FLOAT, 0, 1000, 8, 8, "", "for a growth of nearness to the pad, from 0 far away to 1 over it")     \
    X(braking, SL_FLOAT, 0, 1000, 20, 20, "", "for a velocity nearer to the wanted one, from far off to none")         \
    X(descent, SL_FLOAT, 0.1, 0.95, 0.5, 0.5, "", "share of the spare thrust that the wanted descent brakes with; more saves fuel") \
    X(upright, SL_FLOAT, 0, 1000, 10, 10, "", "for turning upright, from upside down to level")                        \
    X(fuel_cost, SL_FLOAT, 0, 10, 0.01, 0.01, "1/kg", "cost of fuel")                                                  \
    X(soft_bonus, SL_FLOAT, 0, 1000, 50, 50, "", "for a soft landing")                                                 \
    X(hard_bonus, SL_FLOAT, 0, 1000, 10, 10, "", "for a hard landing")                                                 \
    X(pad_bonus, SL_FLOAT, 0, 1000, 20, 20, "", "for a soft or hard landing on the pad")                               \
    X(crash_penalty, SL_FLOAT, 0, 1000, 50, 50, "", "cost of a crash")                                                 \
    X(out_penalty, SL_FLOAT, 0, 1000, 50, 50, "", "cost of leaving the bounds")                                        \
    X(timeout_penalty, SL_FLOAT, 0, 1000, 20, 20, "", "cost of running out of time")                                   \
    X(allow_farming, SL_FLAG, 0, 1, 0, 0, "", "accept shaping that can pay more than a soft landing")

#define LANDING_KNOB_NAME(name, ...) LANDING_KNOB_##name,
typedef enum { LANDING_KNOBS(LANDING_KNOB_NAME) LANDING_KNOB_COUNT } LandingKnob;

typedef enum {
    LANDING_FLYING, LANDING_SOFT, LANDING_HARD, LANDING_CRASH, LANDING_OUT, LANDING_TIMEOUT
} LandingEnding;

// Reward terms, in the order in which they are added up: four potentials, then costs and outcomes.
typedef enum {
    LANDING_PROGRESS, LANDING_CENTERING, LANDING_BRAKING, LANDING_UPRIGHT,
    LANDING_FUEL, LANDING_LANDED, LANDING_PAD, LANDING_CRASHED, LANDING_LEFT, LANDING_LATE,
    LANDING_TERMS
} LandingTerm;
#define LANDING_POTENTIALS 4            // the first terms: differences of a potential, so that they telescope

typedef enum {
    LANDING_EVENT_START, LANDING_EVENT_LOW_FUEL, LANDING_EVENT_EMPTY, LANDING_EVENT_TOUCHDOWN,
    LANDING_EVENT_CRASH, LANDING_EVENT_OUT, LANDING_EVENT_TIMEOUT, LANDING_EVENT_KINDS
} LandingEventKind;

// What the pilot sees, in this order.
typedef struct {
    float altitude;                     // / 1000 m
    float velocity[3];                  // / 50 m/s
    float spin[3];                      // rad/s, world axes
    float pitch, roll;                  // / half a turn
    float to_pad[3];                    // unit vector
    float pad_distance;                 // / 1000 m
    float terrain_distance;             // / 100 m
} LandingObservation;

SL_STATIC_ASSERT(sizeof(LandingObservation) == 14 * sizeof(float), "an observation is 14 floats without gaps");

typedef struct {
    int tick_rate, ticks_per_step, limit;
    float dt, half_dt, turn_dt;                 // s; of a tick in turns per rad/s
    float altitude_min, altitude_max, start_offset, start_speed, start_fall, start_tilt, start_spin;
    float fall;                                 // m/s a tick
    float gravity, dry_mass, fuel, start_mass, max_thrust, flow;    // flow: kg a second at full thrust
    float burn;                                 // kg a tick at full thrust
    float torque_dt;                            // rad/s a tick at full torque, times kg
    float keep_spin;                            // share of a spin that a tick leaves
    float leg_length, leg_spread, reach;        // reach: farther than any foot is from the centre of mass
    float terrain_height, half_height, wave;    // wave: turns a metre
    float pad_radius, soft_speed, hard_speed, upright_cos;      // least cosine of the tilt of a landing
    float bounds, ceiling;
    float glide;                                // m/s2; deceleration of the wanted descent
    float weight[LANDING_TERMS];                // what a unit of each term pays; soft_bonus for a landing
    float hard_bonus;
    float low[LANDING_TERMS], high[LANDING_TERMS];      // what each term can sum up to in an episode
} LandingRules;

// The state that shaping pays differences of.
typedef struct { float distance, nearness, error, lean; } LandingPotential;

typedef struct {
    SlRng rng;
    int32_t tick, steps, step_ticks, ending;
    float x, y, z, vx, vy, vz;
    float pitch, roll;                          // turns, -0.5..0.5
    float pitch_rate, roll_rate;                // rad/s
    float fuel;
    float phase_x, phase_z;                     // of the terrain, turns
    float ideal_fuel;                           // kg of a fall and one full burn from the start
    float thrust_x, thrust_y, thrust_z;         // of the last step, shares of max_thrust in the frame of the craft
    float rcs_pitch, rcs_roll;
    LandingPotential potential;
    float sums[LANDING_TERMS];
    int32_t event_count;
    SlEvent events[LANDING_EVENTS];
} LandingWorld;

// The craft's axes in the world: X, Y (up through the nose) and Z.
typedef struct { float xx, xy, xz, yx, yy, yz, zy, zz; } LandingAxes;

SL_FN void landing_event(LandingWorld *w, int kind, float a, float b, float c) {
    if (w->event_count >= LANDING_EVENTS) return;
    SlEvent *event = &w->events[w->event_count++];
    event->kind = kind;
    event->values[0] = a;
    event->values[1] = b;
    event->values[2] = c;
    event->values[3] = 0.0f;
}

#endif
