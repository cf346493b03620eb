// navigation_test.c: navigation's own checks, in plain C so that they run where the core runs, sanitizers included.
//   navigation_test [STRESS_STEPS]     every check, then STRESS_STEPS (default 60000) steps of random play over random settings
// The exit code is the number of checks that failed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.c"
#include "../tests/check.h"

// ---------------------------------------------------------------- a walk to play with

typedef struct {
    double knobs[NAVIGATION_KNOB_COUNT];
    NavigationRules rules;
    NavigationWorld world;
    float observation[NAVIGATION_SEES + NAVIGATION_TASKS], reward, action[3];
    uint8_t terminated, truncated;
    int32_t ticks;
    SlView view;
} Walk;

static void open_walk(Walk *f, int profile) {
    sl_fill(f, 0, sizeof *f);
    for (int k = 0; k < NAVIGATION_KNOB_COUNT; k++) f->knobs[k] = NAVIGATION_KNOB_TABLE[k].defaults[profile];
    SlView view = { f->observation, &f->reward, &f->terminated, &f->truncated, NULL, &f->ticks, f->action };
    f->view = view;
}

static int try_configure(Walk *f, char *why, size_t room) { return navigation_configure(&f->rules, f->knobs, why, room); }

static void begin(Walk *f, uint64_t seed) {
    char why[512] = "";
    if (try_configure(f, why, sizeof why)) { check_true(0, why); exit(1); }
    navigation_reset(&f->rules, &f->world, seed);
    navigation_observe(&f->rules, &f->world, &f->view);
}

// On an open floor, at the origin, looking to -Z, the goal far to the north, one tick per step.
static void begin_open(Walk *f) {
    open_walk(f, 0);
    f->knobs[NAVIGATION_KNOB_layout] = NAVIGATION_OPEN;
    f->knobs[NAVIGATION_KNOB_ticks_per_step] = 1;
    begin(f, 1);
    NavigationPose at = { 0, 0, 0, 0, 0, 0 };
    f->world.pose = f->world.before = at;
    f->world.goal_x = 0;
    f->world.goal_z = -25;
    f->world.distance = 25;
}

static void act(Walk *f, float right, float ahead, float rotate) { f->action[0] = right; f->action[1] = ahead; f->action[2] = rotate; }
static void step(Walk *f) { navigation_step(&f->rules, &f->world, &f->view); }
static void steps(Walk *f, int count) { while (count-- > 0) step(f); }
static int over(const Walk *f) { return f->world.ending != NAVIGATION_WALKING; }

static void act_by(Walk *f, int bot, int level, float *memory) {
    NAVIGATION_BOTS[bot].act(&f->rules, level, f->observation, NULL, memory, f->action);
}

// ---------------------------------------------------------------- motion

static void test_commands_become_speed(void) {
    Walk f;
    begin_open(&f);
    act(&f, 0, 1, 0);
    steps(&f, 200);
    check_near(f.world.vz, -2.0, 1e-3, "full command ahead is 2 m/s to where the head looks");
    act(&f, 1, 1, 0);
    steps(&f, 200);
    check_near(hypot(f.world.vx, f.world.vz), 2.0, 1e-3, "a diagonal is no faster");
    act(&f, 0.1f, -0.1f, 0.1f);
    steps(&f, 400);
    check_near(hypot(f.world.vx, f.world.vz), 0, 1e-4, "the dead zone is none");
    act(&f, 0, 0.55f, 0);
    steps(&f, 300);
    check_near(-f.world.vz, 1.0, 1e-3, "half of the way beyond the dead zone is half the speed");
    begin_open(&f);
    act(&f, 0, 0, 1);
    steps(&f, 400);
    check_near(f.world.yaw_rate, -1.570796, 1e-4, "a full turn command is 90 degrees a second to the right");
    check_near(f.observation[11], -1.570796, 1e-4, "and is seen as such");
}

static void test_a_snap_turns_at_once_and_waits(void) {
    Walk f;
    begin_open(&f);
    f.knobs[NAVIGATION_KNOB_turning] = 1;
    begin(&f, 1);
    float yaw = f.world.pose.yaw;
    act(&f, 0, 0, 0.7f);
    steps(&f, 50);
    check_true(f.world.pose.yaw == yaw && f.world.snap_turns == 0, "a command up to the threshold does not turn");
    act(&f, 0, 0, 1);
    step(&f);
    float right = f.world.pose.yaw - yaw;
    check_near(right - sl_round(right), -0.125, 1e-6, "one tick turns 45 degrees to the right");
    check_near(f.observation[11], 0, 1e-6, "and nothing is seen to turn");
    check_true(f.observation[35] == 0.0f && f.observation[40] == 0.0f, "nor a hand to swing");
    steps(&f, 26);
    check_true(f.world.snap_turns == 1, "the next turn waits 0.3 s");
    step(&f);
    check_true(f.world.snap_turns == 2, "and comes then");
    act(&f, 0, 0, -1);
    steps(&f, 54);
    check_near(f.world.pose.yaw, yaw, 1e-6, "to the left likewise");
    check_near(f.world.score_sum, f.world.tick, 1e-3, "no snap costs comfort");
    float row[64];
    navigation_episode(&f.rules, &f.world, row);
    check_true(row[9] == 4.0f, "the episode counts them");
}

static void test_any_layout_is_drawn_and_observed(void) {
    Walk f;
    int seen[NAVIGATION_TASKS] = { 0 };
    open_walk(&f, 0);
    f.knobs[NAVIGATION_KNOB_layout] = NAVIGATION_ANY;
    f.knobs[NAVIGATION_KNOB_task_id] = 1;
    for (uint64_t seed = 0; seed < 300; seed++) {
        begin(&f, seed);
        int layout = f.world.layout;
        seen[layout]++;
        for (int k = 0; k < NAVIGATION_TASKS; k++)
            check_true(f.observation[NAVIGATION_SEES + k] == (k == layout ? 1.0f : 0.0f), "a 1 at the place of the layout");
        int posts = 0;
        for (int j = 2; j < f.rules.cells - 1; j += 2)
            for (int i = 2; i < f.rules.cells - 1; i += 2) posts += navigation_bit(f.world.walls, i, j);
        int most = (f.rules.cells / 2 - 1) * (f.rules.cells / 2 - 1);
        check_true(layout == NAVIGATION_OPEN ? posts == 0 : layout == NAVIGATION_MAZE ? posts == most : posts > 0 && posts < most,
                   "and that layout is built");
    }
    for (int k = 0; k < NAVIGATION_TASKS; k++) check_true(seen[k] > 60, "each layout in about a third of the episodes");
}

static void test_a_decision_leaves_the_share_of_the_old_command(void) {
    Walk f;
    open_walk(&f, 0);
    f.knobs[NAVIGATION_KNOB_layout] = NAVIGATION_OPEN;
    begin(&f, 1);
    act(&f, 0, 1, 0);
    step(&f);
    check_near(f.world.ahead, 0.7, 1e-5, "after one decision 30 % of the old command is left");
    step(&f);
    check_near(f.world.ahead, 0.91, 1e-5, "after two 9 %");
    f.knobs[NAVIGATION_KNOB_action_smoothing] = 0;
    begin(&f, 1);
    step(&f);
    check_true(f.world.ahead == 1.0f, "without smoothing nothing");
}

static void test_moving_follows_the_heading(void) {
    for (int k = 0; k < 16; k++) {
        Walk f;
        begin_open(&f);
        f.world.pose.yaw = (float)k / 16.0f - 0.5f;
        double a = (double)f.world.pose.yaw * 6.283185307179586;
        act(&f, 0, 1, 0);
        steps(&f, 100);
        check_near(f.world.vx, -2 * sin(a), 2e-3, "ahead is where the head looks, X");
        check_near(f.world.vz, -2 * cos(a), 2e-3, "ahead is where the head looks, Z");
        double x = f.observation[3], y = f.observation[4], z = f.observation[5], w = f.observation[6];
        check_near(x * x + y * y + z * z + w * w, 1, 1e-5, "the rotation is a unit quaternion");
        check_near(-2 * (x * z + w * y), -sin(a), 1e-4, "and turns -Z to where the head looks");
        check_true(w >= 0, "with w not negative");
    }
}

// ---------------------------------------------------------------- grid, walls, rays

static int blocked(const Walk *f, int i, int j) { return navigation_bit(f->world.walls, i, j) || navigation_bit(f->world.holes, i, j); }

static int count_reachable(const Walk *f) {
    int n = f->rules.cells, found = 0, head = 0, count = 0;
    static int queue[NAVIGATION_GRID * NAVIGATION_GRID];
    static uint8_t seen[NAVIGATION_GRID * NAVIGATION_GRID];
    memset(seen, 0, sizeof seen);
    queue[count++] = n + 1;
    seen[n + 1] = 1;
    while (head < count) {
        int cell = queue[head++], i = cell % n, j = cell / n;
        found += (i & 1) && (j & 1);
        static const int D[4][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
        for (int d = 0; d < 4; d++) {
            int a = i + D[d][0], b = j + D[d][1];
            if (a < 0 || b < 0 || a >= n || b >= n || seen[b * n + a] || blocked(f, a, b)) continue;
            seen[b * n + a] = 1;
            queue[count++] = b * n + a;
        }
    }
    return found;
}

static void test_every_room_can_be_reached(void) {
    for (int layout = NAVIGATION_COURSE; layout <= NAVIGATION_MAZE; layout++)
        for (int seed = 0; seed < 60; seed++) {
            Walk f;
            open_walk(&f, 0);
            f.knobs[NAVIGATION_KNOB_layout] = layout;
            f.knobs[NAVIGATION_KNOB_obstacles] = 1;
            f.knobs[NAVIGATION_KNOB_openness] = seed % 3 * 0.4;
            f.knobs[NAVIGATION_KNOB_pits] = seed % 2 * 0.3;
            f.knobs[NAVIGATION_KNOB_max_goal_distance] = 10 + seed % 21;
            begin(&f, (uint64_t)seed);
            int side = f.rules.cells / 2;
            check(count_reachable(&f) == side * side, "every room can be reached", count_reachable(&f), side * side);
            check_true(!blocked(&f, navigation_cell(&f.rules, f.world.pose.x), navigation_cell(&f.rules, f.world.pose.z)), "a start is on the floor");
            check_true(!blocked(&f, navigation_cell(&f.rules, f.world.goal_x), navigation_cell(&f.rules, f.world.goal_z)), "a goal is on the floor");
        }
}

static void test_a_perfect_maze_is_a_tree(void) {
    Walk f;
    open_walk(&f, 0);
    f.knobs[NAVIGATION_KNOB_layout] = NAVIGATION_MAZE;
    f.knobs[NAVIGATION_KNOB_openness] = 0;
    begin(&f, 3);
    int n = f.rules.cells, side = n / 2, ways = 0;
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) ways += ((i ^ j) & 1) && !blocked(&f, i, j);
    check(ways == side * side - 1, "a perfect maze has one way less than rooms", ways, side * side - 1);
}

// Metres into the nearest wall, in double precision; 0 when free.
static double depth_in_walls(const Walk *f) {
    const NavigationRules *r = &f->rules;
    double x = f->world.pose.x, z = f->world.pose.z, worst = 0;
    for (int j = 0; j < r->cells; j++)
        for (int i = 0; i < r->cells; i++) {
            if (!navigation_bit(f->world.walls, i, j)) continue;
            double lx = i * 2.0 - r->half, lz = j * 2.0 - r->half;
            double dx = fmax(fmax(lx - x, x - lx - 2.0), 0), dz = fmax(fmax(lz - z, z - lz - 2.0), 0);
            worst = fmax(worst, r->radius - sqrt(dx * dx + dz * dz));
        }
    return worst;
}

static void test_nobody_gets_into_a_wall(void) {
    SlRng rng;
    sl_rng_seed(&rng, 8);
    for (int seed = 0; seed < 12; seed++) {
        Walk f;
        open_walk(&f, 0);
        f.knobs[NAVIGATION_KNOB_layout] = seed % 2 ? NAVIGATION_MAZE : NAVIGATION_COURSE;
        f.knobs[NAVIGATION_KNOB_max_goal_distance] = 10;
        f.knobs[NAVIGATION_KNOB_max_collisions] = 100;
        f.knobs[NAVIGATION_KNOB_max_movement_speed] = 4;
        f.knobs[NAVIGATION_KNOB_player_radius] = 0.2 + 0.1 * (seed % 5);
        begin(&f, (uint64_t)seed);
        double worst = 0;
        for (int i = 0; i < 400; i++) {
            if (i % 12 == 0) act(&f, sl_uniform_in(&rng, -1, 1), sl_uniform_in(&rng, -1, 1), sl_uniform_in(&rng, -1, 1));
            step(&f);
            worst = fmax(worst, depth_in_walls(&f));
            if (over(&f)) begin(&f, (uint64_t)(seed + 100 * i));
        }
        check(worst < 1e-4, "no part of a body is in a wall", worst, 0);
    }
}

static double plain_ray(const Walk *f, int k) {
    double a = 6.283185307179586 * k / 16, best = 5;
    for (int n = 1; n <= 5000; n++) {
        double t = n * 0.001, x = f->world.pose.x + t * cos(a), z = f->world.pose.z + t * sin(a);
        int i = (int)floor((x + f->rules.half) / 2), j = (int)floor((z + f->rules.half) / 2);
        if (i < 0 || j < 0 || i >= f->rules.cells || j >= f->rules.cells) continue;
        if (blocked(f, i, j)) { best = t; break; }
    }
    return best;
}

static void test_rays_end_where_the_floor_does(void) {
    int corners = 0;
    for (int seed = 0; seed < 60; seed++) {
        Walk f;
        open_walk(&f, 0);
        f.knobs[NAVIGATION_KNOB_layout] = 1 + seed % 2;
        f.knobs[NAVIGATION_KNOB_pits] = 0.2;
        begin(&f, (uint64_t)seed);
        for (int k = 0; k < 16; k++) {
            double plain = plain_ray(&f, k);
            corners += fabs(plain - (double)f.observation[13 + k]) > 0.002;     // one that grazes a corner may go either way
        }
    }
    check(corners <= 3, "rays end where plain geometry says", corners, 0);
}

// ---------------------------------------------------------------- endings, rewards, comfort

static void test_the_goal_is_reached_on_the_floor(void) {
    Walk f;
    begin_open(&f);
    f.world.goal_z = -3;
    f.world.distance = 3;
    act(&f, 0, 1, 0);
    while (!over(&f)) step(&f);
    check_true(f.world.ending == NAVIGATION_GOAL && f.terminated && !f.truncated, "a goal ends the episode");
    check_near(f.world.pose.z, -2, 0.03, "a metre away, though the camera is 1.6 m up");
    check_near(f.world.sums[NAVIGATION_REACHED], 100, 0, "and pays 100");
    check_near(f.world.sums[NAVIGATION_PROGRESS], 2, 0.05, "and a point a metre");
}

static void test_pits_and_edges_are_fallen_into(void) {
    Walk f;
    begin_open(&f);
    f.knobs[NAVIGATION_KNOB_edge] = 1;
    f.knobs[NAVIGATION_KNOB_max_goal_distance] = 10;
    begin(&f, 1);
    f.world.pose.yaw = 0;
    f.world.goal_x = 100;
    int seen = 0;
    act(&f, 0, 1, 0);
    while (!over(&f)) { step(&f); seen |= f.world.falling && f.observation[8] < 0; }
    check_true(f.world.ending == NAVIGATION_DROPPED && f.terminated, "over the edge it falls");
    check_true(seen, "which is seen as a velocity");
    check_true(f.observation[1] < -10, "until the camera is below -10 m");
    check_near(f.world.sums[NAVIGATION_FALLEN], -50, 0, "and costs 50");
}

static void test_sliding_along_a_wall_is_one_collision(void) {
    Walk f;
    begin_open(&f);
    f.knobs[NAVIGATION_KNOB_max_goal_distance] = 30;
    begin(&f, 1);
    NavigationPose at = { 0, 0, -32, 0, 0, 0 };
    f.world.pose = f.world.before = at;
    f.world.goal_x = 0;
    f.world.goal_z = 30;
    act(&f, 1, 1, 0);
    steps(&f, 400);
    check(f.world.collisions == 1, "sliding along a wall is one collision", f.world.collisions, 1);
    act(&f, 0, -1, 0);
    steps(&f, 120);
    act(&f, 0, 1, 0);
    steps(&f, 200);
    check(f.world.collisions == 2, "coming back is the second", f.world.collisions, 2);
    f.world.collisions = 10;
    step(&f);
    check_true(f.world.ending == NAVIGATION_BATTERED && f.terminated, "ten end the episode");
}

static void test_time_truncates(void) {
    Walk f;
    open_walk(&f, 0);
    f.knobs[NAVIGATION_KNOB_time_limit] = 3;
    begin(&f, 1);
    act(&f, 0, 0, 0);
    while (!over(&f)) step(&f);
    check_true(f.world.ending == NAVIGATION_TIMEOUT && !f.terminated && f.truncated && f.world.tick == 270, "running out of time truncates");
    check_near(f.world.sums[NAVIGATION_LATE], -20, 0, "and costs 20");
    check_near(navigation_comfort(&f.world), 1, 1e-6, "standing is comfortable");
    check_near(f.world.sums[NAVIGATION_COMFORT], 0, 0, "and pays nothing");
}

static void test_comfort_is_judged_as_the_page_says(void) {
    Walk f;
    begin_open(&f);
    check_near(navigation_score(&f.rules, &f.world, 1.5f), 1, 0, "slow and straight is comfortable");
    check_near(navigation_score(&f.rules, &f.world, 1.7f), 0.8, 1e-6, "above 80 % of the speed costs 0.2");
    f.world.rotate = -0.71f;
    check_near(navigation_score(&f.rules, &f.world, 1.5f), 0.7, 1e-6, "turning above 0.7 costs 0.3");
    f.world.pose.roll = 0.31f;
    check_near(navigation_score(&f.rules, &f.world, 1.7f), 0.3, 1e-6, "and leaning above 0.3 rad another 0.2");
    begin_open(&f);
    for (int i = 0; i < 900; i++) navigation_shade(&f.rules, &f.world, 12.5f);
    check_near(f.world.vignette, 0.35, 1e-3, "12.5 m/s2 is half of the vignette");
    check_near(f.world.vignette_peak, 0.35, 1e-3, "and its peak");
    for (int i = 0; i < 90; i++) navigation_shade(&f.rules, &f.world, 0.0f);
    check_near(f.world.vignette, 0.35 * pow(1 - 5 / 90.0, 90), 1e-5, "which goes away at 5 a second");
    begin_open(&f);
    act(&f, 0, 1, 1);
    steps(&f, 300);
    check_near(sl_abs(f.world.pose.roll), 2.0 * 1.570796 / 9.8, 1e-3, "a head leans as far as balance asks for");
}

static void test_comfort_costs_at_most_its_bonus(void) {
    Walk f;
    begin_open(&f);
    f.knobs[NAVIGATION_KNOB_discomfort] = 20;
    f.knobs[NAVIGATION_KNOB_comfort_bonus] = 10;
    begin(&f, 2);
    act(&f, 0, 1, 1);
    steps(&f, 1500);
    check_near(f.world.sums[NAVIGATION_COMFORT], -10, 1e-3, "discomfort takes the bonus and no more");
}

static void test_settings_that_cannot_work_are_refused(void) {
    Walk f;
    char why[512];
    open_walk(&f, 0);
    f.knobs[NAVIGATION_KNOB_comfort_bonus] = 10.5;
    check_true(try_configure(&f, why, sizeof why) < 0 && strstr(why, "comfort_bonus"), "comfort above a tenth of the goal is refused");
    f.knobs[NAVIGATION_KNOB_comfort_bonus] = 8;
    f.knobs[NAVIGATION_KNOB_progress] = 3;
    check_true(try_configure(&f, why, sizeof why) < 0 && strstr(why, "progress"), "progress that beats the goal is refused");
    f.knobs[NAVIGATION_KNOB_allow_farming] = 1;
    check_true(try_configure(&f, why, sizeof why) == 0, "unless farming is allowed");
}

// ---------------------------------------------------------------- walkers, stress

static void test_walkers_are_as_good_as_the_page_says(void) {
    static const int WANTED[3] = { 99, 90, 80 };
    for (int layout = 0; layout < 3; layout++) {
        int good = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            Walk f;
            float memory[SL_BOT_MEMORY] = { 0 };
            open_walk(&f, 0);
            f.knobs[NAVIGATION_KNOB_layout] = layout;
            f.knobs[NAVIGATION_KNOB_pits] = 0.1;
            begin(&f, seed);
            sl_copy(memory, &seed, sizeof seed);
            while (!over(&f)) { act_by(&f, 0, 2, memory); step(&f); }
            good += f.world.ending == NAVIGATION_GOAL;
            check_true(f.world.ending != NAVIGATION_DROPPED, "the pathfollower falls into no pit");
        }
        check(good >= WANTED[layout], "the pathfollower finds its way", good, WANTED[layout]);
    }
}

static double random_knob(SlRng *rng, int knob) {
    const SlKnob *k = &NAVIGATION_KNOB_TABLE[knob];
    double value = k->low + (k->high - k->low) * (double)sl_uniform(rng);
    return k->kind == SL_FLOAT ? value : floor(value);
}

static void test_no_term_leaves_its_bounds(long long left) {
    SlRng rng;
    sl_rng_seed(&rng, 5);
    char why[512];
    for (uint64_t seed = 0; left > 0; seed++) {
        Walk f;
        float memory[SL_BOT_MEMORY] = { 0 };
        open_walk(&f, (int)(seed & 1));
        for (int changes = (int)(seed % 7); changes > 0; changes--) {
            int knob = sl_integer_in(&rng, 0, NAVIGATION_KNOB_COUNT - 1);
            f.knobs[knob] = random_knob(&rng, knob);
        }
        if (try_configure(&f, why, sizeof why)) continue;
        begin(&f, seed);
        sl_copy(memory, &seed, sizeof seed);
        for (int i = 0; !over(&f); i++, left--) {
            if (seed % 3 == 2) act_by(&f, (int)(seed % 2), 1, memory);
            else if (seed % 3 == 0 || i % 20 == 0) act_by(&f, 3, 1, memory);
            step(&f);
            for (int k = 0; k < 48; k++) check_true(sl_finite(f.observation[k]) && sl_abs(f.observation[k]) <= NAVIGATION_SEEN, "an observation is in its range");
        }
        for (int i = 0; i < NAVIGATION_TERMS; i++) {
            check(f.world.sums[i] <= f.rules.high[i] + 0.01, NAVIGATION_TERM_TABLE[i].name, f.world.sums[i], f.rules.high[i]);
            check(f.world.sums[i] >= f.rules.low[i] - 0.01, NAVIGATION_TERM_TABLE[i].name, f.world.sums[i], f.rules.low[i]);
        }
    }
}

int main(int argc, char **argv) {
    test_commands_become_speed();
    test_a_decision_leaves_the_share_of_the_old_command();
    test_a_snap_turns_at_once_and_waits();
    test_any_layout_is_drawn_and_observed();
    test_moving_follows_the_heading();
    test_every_room_can_be_reached();
    test_a_perfect_maze_is_a_tree();
    test_nobody_gets_into_a_wall();
    test_rays_end_where_the_floor_does();
    test_the_goal_is_reached_on_the_floor();
    test_pits_and_edges_are_fallen_into();
    test_sliding_along_a_wall_is_one_collision();
    test_time_truncates();
    test_comfort_is_judged_as_the_page_says();
    test_comfort_costs_at_most_its_bonus();
    test_settings_that_cannot_work_are_refused();
    test_walkers_are_as_good_as_the_page_says();
    test_no_term_leaves_its_bounds(argc > 1 ? atoll(argv[1]) : 60000);
    printf("navigation: %d checks, %d failed\n", checks, failures);
    return failures > 255 ? 255 : failures;
}
