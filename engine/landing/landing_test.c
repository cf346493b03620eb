// landing_test.c: landing's own checks, in plain C so that they run where the core runs, sanitizers included.
//   landing_test [STRESS_STEPS]        every check, then STRESS_STEPS (default 100000) steps of random play over random settings
// The exit code is the number of checks that failed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.c"

#include "../common/hash.h"
#include "../tests/check.h"

// ---------------------------------------------------------------- a flight to play with

typedef struct {
    double knobs[LANDING_KNOB_COUNT];
    LandingRules rules;
    LandingWorld world;
    float observation[14], reward, action[5];
    uint8_t terminated, truncated;
    int32_t ticks;
    SlView view;
} Flight;

static void open_flight(Flight *f, int profile) {
    sl_fill(f, 0, sizeof *f);
    for (int k = 0; k < LANDING_KNOB_COUNT; k++) f->knobs[k] = LANDING_KNOB_TABLE[k].defaults[profile];
    SlView view = { f->observation, &f->reward, &f->terminated, &f->truncated, NULL, &f->ticks, f->action };
    f->view = view;
}

static int try_configure(Flight *f, char *why, size_t room) { return landing_configure(&f->rules, f->knobs, why, room); }

static void begin(Flight *f, uint64_t seed) {
    char why[512] = "";
    if (try_configure(f, why, sizeof why)) { check_true(0, why); exit(1); }
    landing_reset(&f->rules, &f->world, seed);
    landing_observe(&f->rules, &f->world, &f->view);
}

// One tick a step, and the craft at rest at this place.
static void begin_at(Flight *f, float x, float y, float z) {
    open_flight(f, 0);
    f->knobs[LANDING_KNOB_ticks_per_step] = 1;
    begin(f, 1);
    LandingWorld *w = &f->world;
    w->x = x; w->y = y; w->z = z;
    w->vx = w->vy = w->vz = 0.0f;
    w->potential = landing_potential(&f->rules, w);
}

static void act(Flight *f, float x, float y, float z, float pitch, float roll) {
    f->action[0] = x; f->action[1] = y; f->action[2] = z; f->action[3] = pitch; f->action[4] = roll;
}

static void step(Flight *f) { landing_step(&f->rules, &f->world, &f->view); }
static void steps(Flight *f, int count) { while (count-- > 0) step(f); }
static int over(const Flight *f) { return f->world.ending != LANDING_FLYING; }

static void act_by(Flight *f, int bot, int level, float *memory) {
    LANDING_BOTS[bot].act(&f->rules, level, f->observation, NULL, memory, f->action);
}

// Plays one episode with a scripted pilot; returns how it ended.
static int play(Flight *f, int bot, int level, uint64_t seed) {
    float memory[SL_BOT_MEMORY] = { 0 };
    begin(f, seed);
    sl_copy(memory, &seed, sizeof seed);
    while (!over(f)) { act_by(f, bot, level, memory); step(f); }
    return f->world.ending;
}

// ---------------------------------------------------------------- flight against closed forms

static void test_a_free_fall_keeps_to_the_closed_form(void) {
    Flight f;
    begin_at(&f, 0, 900, 0);
    act(&f, 0, 0, 0, 0, 0);
    for (int t = 1; t <= 900; t++) {
        step(&f);
        double s = t / 90.0;
        check_near(900 - (double)f.world.y, 0.5 * 9.8 * s * s, 0.02, "a free fall keeps to g t^2 / 2");
        check_near(f.world.vy, -9.8 * s, 1e-3, "and its speed to g t");
    }
    check_true(f.world.fuel == f.rules.fuel, "falling burns nothing");
}

static void test_the_rocket_equation_holds(void) {
    Flight f;
    begin_at(&f, 0, 100, 0);
    act(&f, 0, 1, 0, 0, 0);
    steps(&f, 450);
    double t = 5.0, burnt = 10000.0 / 2940.0 * t, speed = 2940.0 * log(700.0 / (700.0 - burnt)) - 9.8 * t;
    check_near(f.rules.fuel - f.world.fuel, burnt, 0.01, "full thrust burns thrust over exhaust speed");
    check_near(f.world.vy, speed, 0.05, "and the speed is that of the rocket equation less gravity");
}

static void test_thrust_is_cut_to_its_limit_and_never_points_down(void) {
    Flight f;
    begin_at(&f, 0, 500, 0);
    act(&f, 1, 1, 1, 0, 0);
    step(&f);
    double each = 10000.0 / sqrt(3.0) / 700.0 / 90.0;
    check_near(f.world.vx, each, 1e-5, "a thrust longer than one is cut to one");
    check_near(f.rules.fuel - f.world.fuel, (double)f.rules.burn, 1e-4, "and burns like full thrust");
    begin_at(&f, 0, 500, 0);
    act(&f, 0, -1, 0, 0, 0);
    step(&f);
    check_near(f.world.vy, -9.8 / 90.0, 1e-6, "a thrust down its nose counts as none");
    check_true(f.world.fuel == f.rules.fuel, "and burns nothing");
}

static void test_an_empty_tank_gives_no_thrust(void) {
    Flight f;
    begin_at(&f, 0, 900, 0);
    f.world.fuel = 1.5f * f.rules.burn;
    act(&f, 0, 1, 0, 0, 0);
    step(&f);
    double first = f.world.vy;
    step(&f);
    check_true(f.world.fuel == 0.0f, "the last fuel is used up, and no more");
    double mass = 500.0 + 0.5 * (double)f.rules.burn;
    check_near(f.world.vy - first, (0.5 * 10000.0 / mass - 9.8) / 90.0, 1e-3, "half a tick of fuel is half a tick of thrust");
    double second = f.world.vy;
    step(&f);
    check_near(f.world.vy - second, -9.8 / 90.0, 1e-6, "then it falls");
}

static void test_spin_follows_torque_and_inertia(void) {
    Flight f;
    open_flight(&f, 0);
    f.knobs[LANDING_KNOB_ticks_per_step] = 1;
    f.knobs[LANDING_KNOB_spin_damping] = 0;
    begin(&f, 1);
    act(&f, 0, 0, 0, 1, -0.5f);
    steps(&f, 90);
    double rate = 500.0 / (700.0 * 1.2 * 1.2);
    check_near(f.world.pitch_rate, rate, 1e-4, "after a second the spin is torque over inertia");
    check_near(f.world.roll_rate, -0.5 * rate, 1e-4, "half the torque is half the spin");
    check_near((double)f.world.pitch * 6.283185307, 0.5 * rate * (1 + 1.0 / 90), 1e-4, "and the angle half its square");
    act(&f, 0, 0, 0, 0, 0);
    float before = f.world.pitch_rate;
    steps(&f, 500);
    check_true(f.world.pitch_rate == before, "nothing slows a spin without damping");
    for (int i = 0; i < 3000; i++) { step(&f); check_true(sl_abs(f.world.pitch) <= 0.5f, "an angle stays within half a turn"); }
    open_flight(&f, 0);
    begin(&f, 1);
    f.world.pitch_rate = 1.0f;
    steps(&f, 10);
    check_near(f.world.pitch_rate, exp(-0.5), 0.003, "a second of damping at 0.5 leaves exp(-0.5)");
}

static void test_axes_are_orthonormal_and_thrust_follows_the_nose(void) {
    for (int i = 0; i < 64; i++) {
        LandingAxes a = landing_axes((float)i / 64.0f, (float)((i * 29) % 64) / 64.0f);
        check_near(a.xx * a.xx + a.xy * a.xy + a.xz * a.xz, 1, 2e-6, "X is a unit vector");
        check_near(a.yx * a.yx + a.yy * a.yy + a.yz * a.yz, 1, 2e-6, "Y is a unit vector");
        check_near(a.xx * a.yx + a.xy * a.yy + a.xz * a.yz, 0, 1e-6, "X and Y are at right angles");
        check_near(a.yy * a.zy + a.yz * a.zz, 0, 1e-6, "Y and Z are at right angles");
    }
    Flight f;
    begin_at(&f, 0, 500, 0);
    f.world.pitch = 0.25f;                          // nose to +Z
    act(&f, 0, 1, 0, 0, 0);
    step(&f);
    check_near(f.world.vz, 10000.0 / 700.0 / 90.0, 1e-5, "pitched by a quarter turn the engine pushes along Z");
    begin_at(&f, 0, 500, 0);
    f.world.roll = 0.25f;                           // nose to -X
    act(&f, 0, 1, 0, 0, 0);
    step(&f);
    check_near(f.world.vx, -10000.0 / 700.0 / 90.0, 1e-5, "rolled by a quarter turn it pushes along -X");
}

// ---------------------------------------------------------------- terrain and contact

static void test_the_terrain_is_level_at_the_pad_and_gentle_elsewhere(void) {
    Flight f;
    open_flight(&f, 0);
    begin(&f, 3);
    double highest = 0, steepest = 0;
    for (int i = 0; i < 4000; i++) {
        float turns = (float)i * 0.6180339f, far = 0.15f * (float)i;
        float x = far * sl_sin_turns(turns), z = far * sl_cos_turns(turns);
        double h = landing_terrain(&f.rules, &f.world, x, z);
        if (far <= LANDING_FLAT) check_true(h == 0.0, "the ground at the pad is level");
        highest = fmax(highest, fabs(h));
        steepest = fmax(steepest, fabs((double)landing_terrain(&f.rules, &f.world, x + 0.5f, z) - h) / 0.5);
    }
    check_true(highest > 2 && highest <= 6.0001, "hills are as high as the setting, and no higher");
    check_true(steepest < 0.35, "and gentle");
}

static void test_each_foot_and_the_hull_can_touch(void) {
    Flight f;
    begin_at(&f, 0, 1.499f, 0);
    check_true(landing_contact(&f.rules, &f.world), "upright the feet touch when the centre is a leg's length up");
    f.world.y = 1.501f;
    check_true(!landing_contact(&f.rules, &f.world), "and not above");
    for (int side = 0; side < 2; side++) {
        begin_at(&f, 0, 1.85f, 0);
        f.world.pitch = side ? 0.05f : -0.05f;      // 18 degrees
        check_true(landing_contact(&f.rules, &f.world), "leaning, the lower feet touch earlier");
    }
    begin_at(&f, 0, 0.9f, 0);
    f.world.pitch = 0.5f;                           // upside down: feet in the air
    check_true(landing_contact(&f.rules, &f.world), "upside down the hull touches");
    f.world.y = 1.1f;
    check_true(!landing_contact(&f.rules, &f.world), "at its radius");
}

// A craft on the way down at this velocity; how the contact ends.
static int touch(Flight *f, float vx, float vy, float pitch, float x) {
    begin_at(f, x, 1.6f, 0);
    f->world.vx = vx;
    f->world.vy = vy;
    f->world.pitch = pitch / 360.0f;
    f->world.potential = landing_potential(&f->rules, &f->world);
    act(f, 0, 0, 0, 0, 0);
    while (!over(f)) step(f);
    return f->world.ending;
}

static void test_speed_and_attitude_decide_how_it_ends(void) {
    Flight f;
    check_true(touch(&f, 0, -1.0f, 0, 0) == LANDING_SOFT && f.terminated && !f.truncated, "slow and upright is soft");
    check_true(touch(&f, 0, -3.0f, 0, 0) == LANDING_HARD, "faster is hard");
    check_true(touch(&f, 0, -6.0f, 0, 0) == LANDING_CRASH, "much faster is a crash");
    check_true(touch(&f, 3.0f, -1.0f, 0, 0) == LANDING_HARD, "sideways speed counts");
    check_true(touch(&f, 0, -1.0f, 14, 0) == LANDING_SOFT, "leaning a little is no matter");
    check_true(touch(&f, 0, -1.0f, 16, 0) == LANDING_CRASH, "leaning too much is a crash");
}

static void test_bounds_and_time_end_an_episode(void) {
    Flight f;
    begin_at(&f, 599.9f, 500, 0);
    f.world.vx = 50;
    steps(&f, 2);
    check_true(f.world.ending == LANDING_OUT && f.terminated && !f.truncated, "past the bounds it is over");
    begin_at(&f, 0, 1499.9f, 0);
    f.world.vy = 50;
    steps(&f, 2);
    check_true(f.world.ending == LANDING_OUT, "above the ceiling too");
    open_flight(&f, 0);
    f.knobs[LANDING_KNOB_time_limit] = 5;
    begin(&f, 1);
    int count = 0;
    while (!over(&f)) { step(&f); count++; }
    check_true(f.world.ending == LANDING_TIMEOUT && !f.terminated && f.truncated, "running out of time truncates");
    check_true(f.world.tick == 450 && count == 50, "at its tick");
}

// ---------------------------------------------------------------- rewards

static void test_outcomes_pay_what_the_settings_say(void) {
    Flight f;
    touch(&f, 0, -1.0f, 0, 0);
    check_true(f.world.sums[LANDING_LANDED] == 50 && f.world.sums[LANDING_PAD] == 20, "soft on the pad pays 50 and 20");
    touch(&f, 0, -1.0f, 0, 1.99f);
    check_true(f.world.sums[LANDING_PAD] == 20, "two metres are on the pad");
    touch(&f, 0, -1.0f, 0, 2.01f);
    check_true(f.world.sums[LANDING_LANDED] == 50 && f.world.sums[LANDING_PAD] == 0, "more are not");
    touch(&f, 0, -3.0f, 0, 0);
    check_true(f.world.sums[LANDING_LANDED] == 10 && f.world.sums[LANDING_PAD] == 20, "hard on the pad pays 10 and 20");
    touch(&f, 0, -9.0f, 0, 0);
    check_true(f.world.sums[LANDING_CRASHED] == -50 && f.world.sums[LANDING_PAD] == 0, "a crash costs 50");
    float out[64];
    landing_episode(&f.rules, &f.world, out);
    check_near(out[8], 0, 0, "a crash has no fuel efficiency");
}

static void test_shaping_telescopes(void) {
    Flight f;
    float memory[SL_BOT_MEMORY] = { 0 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        open_flight(&f, 1);
        begin(&f, seed);
        LandingPotential first = f.world.potential;
        double total = 0;
        for (int i = 0; i < 400 && !over(&f); i++) { act_by(&f, 3, 1, memory); step(&f); total += f.reward; }
        const LandingPotential *last = &f.world.potential;
        check_near(f.world.sums[LANDING_PROGRESS], 0.01 * (first.distance - last->distance), 1e-3, "progress telescopes");
        check_near(f.world.sums[LANDING_CENTERING], 8 * (last->nearness - first.nearness), 1e-3, "centering telescopes");
        check_near(f.world.sums[LANDING_BRAKING], 20 * (first.error - last->error), 1e-3, "braking telescopes");
        check_near(f.world.sums[LANDING_UPRIGHT], 10 * (first.lean - last->lean), 1e-3, "upright telescopes");
        double sums = 0;
        for (int i = 0; i < LANDING_TERMS; i++) sums += f.world.sums[i];
        check_near(total, sums, 1e-2, "rewards are the sum of their terms");
    }
}

static void test_settings_that_cannot_work_are_refused(void) {
    Flight f;
    char why[512];
    static const struct { int knob; double value; const char *word; } CASES[] = {
        { LANDING_KNOB_max_thrust, 7000, "hover" }, { LANDING_KNOB_soft_speed, 6, "soft_speed" },
        { LANDING_KNOB_altitude_min, 1100, "altitude_min" }, { LANDING_KNOB_ceiling, 900, "ceiling" },
        { LANDING_KNOB_bounds, 100, "bounds" }, { LANDING_KNOB_braking, 40, "soft_bonus" },
    };
    for (int i = 0; i < SL_COUNT(CASES); i++) {
        open_flight(&f, 0);
        f.knobs[CASES[i].knob] = CASES[i].value;
        check_true(try_configure(&f, why, sizeof why) < 0 && strstr(why, CASES[i].word), CASES[i].word);
    }
    f.knobs[LANDING_KNOB_allow_farming] = 1;
    check_true(try_configure(&f, why, sizeof why) == 0, "allow_farming accepts shaping that pays more than landing");
}

// ---------------------------------------------------------------- pilots, determinism, stress

static void test_pilots_are_as_good_as_the_page_says(void) {
    Flight f;
    int good[3] = { 0 }, soft = 0, idle = 0;
    for (int profile = 0; profile < 2; profile++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            open_flight(&f, profile);
            for (int level = 1; level <= 3; level++)
                good[level - 1] += play(&f, 0, level, seed) == LANDING_SOFT && landing_on_pad(&f.rules, &f.world);
            soft += play(&f, 1, 1, seed) == LANDING_SOFT;
            idle += play(&f, 2, 1, seed) == LANDING_CRASH;
        }
    check(good[2] >= 190, "the autopilot lands softly on the pad", good[2], 190);
    check(good[0] < good[1] && good[1] < good[2], "and its levels are in order", good[0], good[1]);
    check(soft >= 190, "brake lands softly somewhere", soft, 190);
    check(idle == 200, "idle crashes", idle, 200);
}

static void test_a_seed_and_actions_are_an_episode(void) {
    Flight a, b;
    float memory_a[SL_BOT_MEMORY] = { 0 }, memory_b[SL_BOT_MEMORY] = { 0 };
    open_flight(&a, 1);
    open_flight(&b, 1);
    begin(&a, 9);
    begin(&b, 9);
    for (int i = 0; i < 200 && !over(&a); i++) {
        act_by(&a, 3, 1, memory_a);
        act_by(&b, 3, 1, memory_b);
        step(&a);
        step(&b);
        check_true(memcmp(&a.world, &b.world, sizeof a.world) == 0, "the same seed and actions give the same bytes");
    }
}

static void test_tilt_in_degrees_is_right(void) {
    for (int i = 0; i <= 180; i++)
        check_near(landing_degrees((float)cos(i * 3.14159265358979 / 180)), i, 0.02, "degrees of a cosine");
}

static double random_knob(SlRng *rng, int knob) {
    const SlKnob *k = &LANDING_KNOB_TABLE[knob];
    double value = k->low + (k->high - k->low) * (double)sl_uniform(rng);
    return k->kind == SL_FLOAT ? value : floor(value);
}

static void check_bounds(const Flight *f) {
    for (int i = 0; i < LANDING_TERMS; i++) {
        double slack = 1e-3 + 1e-4 * (fabs(f->rules.high[i]) + fabs(f->rules.low[i]));
        check(f->world.sums[i] <= f->rules.high[i] + slack, LANDING_TERM_TABLE[i].name, f->world.sums[i], f->rules.high[i]);
        check(f->world.sums[i] >= f->rules.low[i] - slack, LANDING_TERM_TABLE[i].name, f->world.sums[i], f->rules.low[i]);
    }
}

static void test_no_term_leaves_its_bounds(long long left) {
    SlRng rng;
    sl_rng_seed(&rng, 5);
    char why[512];
    for (uint64_t seed = 0; left > 0; seed++) {
        Flight f;
        float memory[SL_BOT_MEMORY] = { 0 };
        open_flight(&f, (int)(seed & 1));
        for (int changes = (int)(seed % 6); changes > 0; changes--) {
            int knob = sl_integer_in(&rng, 0, LANDING_KNOB_COUNT - 1);
            f.knobs[knob] = random_knob(&rng, knob);
        }
        if (try_configure(&f, why, sizeof why)) continue;
        begin(&f, seed);
        sl_copy(memory, &seed, sizeof seed);
        int held = (int)(seed % 3);
        for (int i = 0; !over(&f); i++, left--) {
            if (held == 2) act_by(&f, 0, 1 + (int)(seed % 3), memory);
            else if (held == 0 || i % 20 == 0) act_by(&f, 3, 1, memory);
            step(&f);
            for (int k = 0; k < 14; k++) check_true(sl_finite(f.observation[k]), "an observation is a number");
            check_true(sl_finite(f.reward), "a reward is a number");
        }
        check_bounds(&f);
        check_true(f.world.fuel >= 0.0f, "fuel is never negative");
    }
}

int main(int argc, char **argv) {
    test_a_free_fall_keeps_to_the_closed_form();
    test_the_rocket_equation_holds();
    test_thrust_is_cut_to_its_limit_and_never_points_down();
    test_an_empty_tank_gives_no_thrust();
    test_spin_follows_torque_and_inertia();
    test_axes_are_orthonormal_and_thrust_follows_the_nose();
    test_the_terrain_is_level_at_the_pad_and_gentle_elsewhere();
    test_each_foot_and_the_hull_can_touch();
    test_speed_and_attitude_decide_how_it_ends();
    test_bounds_and_time_end_an_episode();
    test_outcomes_pay_what_the_settings_say();
    test_shaping_telescopes();
    test_settings_that_cannot_work_are_refused();
    test_pilots_are_as_good_as_the_page_says();
    test_a_seed_and_actions_are_an_episode();
    test_tilt_in_degrees_is_right();
    test_no_term_leaves_its_bounds(argc > 1 ? atoll(argv[1]) : 100000);
    printf("landing: %d checks, %d failed\n", checks, failures);
    return failures > 255 ? 255 : failures;
}
