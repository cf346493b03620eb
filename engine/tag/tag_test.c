// tag_test.c: tag's own checks, in plain C so that they run where the core runs, sanitizers included.
//   tag_test [STRESS_TICKS]        every check, then STRESS_TICKS (default 200000) ticks of adversarial play
// The exit code is the number of checks that failed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.c"

#include "../common/hash.h"
#include "../tests/check.h"

// ---------------------------------------------------------------- a match to play with

typedef struct {
    double knobs[TAG_KNOB_COUNT];
    TagRules rules;
    TagWorld world;
    float observations[TAG_AGENTS * 160], rewards[TAG_AGENTS], actions[TAG_AGENTS * 4];
    uint8_t terminated[TAG_AGENTS], truncated[TAG_AGENTS];
    int32_t ticks[TAG_AGENTS];
    SlView view;
} Match;

static void open_match(Match *m, int profile) {
    sl_fill(m, 0, sizeof *m);
    for (int k = 0; k < TAG_KNOB_COUNT; k++) m->knobs[k] = TAG_KNOB_TABLE[k].defaults[profile];
    SlView view = { m->observations, m->rewards, m->terminated, m->truncated, NULL, m->ticks, m->actions };
    m->view = view;
}

static int try_configure(Match *m, char *why, size_t room) { return tag_configure(&m->rules, m->knobs, why, room); }

static void begin(Match *m, uint64_t seed) {
    char why[512] = "";
    if (try_configure(m, why, sizeof why)) { check_true(0, why); exit(1); }
    tag_reset(&m->rules, &m->world, seed);
    tag_observe(&m->rules, &m->world, &m->view);
}

// An empty arena in which one step is one tick.
static void open_empty(Match *m) {
    open_match(m, 0);
    m->knobs[TAG_KNOB_obstacles] = 0;
    m->knobs[TAG_KNOB_ticks_per_step] = 1;
    m->knobs[TAG_KNOB_time_limit] = 100;
    m->knobs[TAG_KNOB_allow_farming] = 1;
}

static void put(Match *m, int agent, float x, float y, float z, float fx, float fz) {
    TagWorld *w = &m->world;
    w->x[agent] = x; w->y[agent] = y; w->z[agent] = z;
    w->vx[agent] = w->vy[agent] = w->vz[agent] = 0.0f;
    w->fx[agent] = fx; w->fz[agent] = fz;
    w->on_floor[agent] = y == 0.0f;
    w->coyote[agent] = y == 0.0f ? m->rules.coyote_ticks + 1 : 0;
    tag_measure(&m->rules, w);
}

static void put_box(Match *m, float cx, float cz, float hx, float hz, float top) {
    TagBlock block = { cx, cz, hx, hz, top };
    tag_keep_block(&m->rules, &m->world, &block);
}

static void act(Match *m, int agent, float move_x, float move_z, float jump) {
    int size = m->rules.turn_control ? 4 : 3;
    float *a = m->actions + agent * size;
    a[0] = move_x; a[1] = move_z; a[2] = jump;
    if (size == 4) a[3] = 0.0f;
}

static void step(Match *m) { tag_step(&m->rules, &m->world, &m->view); }
static void steps(Match *m, int count) { while (count-- > 0) step(m); }
static int over(const Match *m) { return m->world.reason != TAG_NOT_ENDED; }

// ---------------------------------------------------------------- invariants, in double precision

static int corner_inside(const Match *m, const char **what) {
    const TagRules *r = &m->rules;
    const TagWorld *w = &m->world;
    double half = (double)r->edge / 2, arena = r->arena_half;
    for (int i = 0; i < r->agents; i++) {
        double x = w->x[i], y = w->y[i], z = w->z[i];
        if (!(fabs(x) + half <= arena && fabs(z) + half <= arena)) { *what = "a wall"; return 1; }
        if (!(y >= 0)) { *what = "the floor"; return 1; }
        for (int b = 0; b < w->box_count; b++)
            if (x + half > w->min_x[b] && x - half < w->max_x[b] && z + half > w->min_z[b] && z - half < w->max_z[b]
                && y < w->top[b]) { *what = "a box"; return 1; }
        for (int j = 0; j < i; j++)
            if (w->in_play[i] && w->in_play[j] && fabs(x - w->x[j]) < r->edge && fabs(z - w->z[j]) < r->edge
                && fabs(y - w->y[j]) < (double)r->edge - 0.002) { *what = "another body"; return 1; }
    }
    return 0;
}

static int observation_in_range(const Match *m) {
    int size = tag_observation_size(&m->rules);
    for (int i = 0; i < size * m->rules.agents; i++)
        if (!(m->observations[i] >= -1.0f && m->observations[i] <= 1.0f)) return 0;
    return 1;
}

static float random_action(SlRng *rng) { return sl_uniform_in(rng, -1.0f, 1.0f); }

// Straight at the nearest opponent, at full strength: the players who lean on everything.
static void act_toward(Match *m, int me, float tx, float tz, float jump) {
    const TagWorld *w = &m->world;
    float dx = tx - w->x[me], dz = tz - w->z[me], l = sl_sqrt(dx * dx + dz * dz);
    if (l > 1e-3f) { dx /= l; dz /= l; } else { dx = dz = 0.0f; }
    float right = -dx * w->fz[me] + dz * w->fx[me], ahead = dx * w->fx[me] + dz * w->fz[me];
    act(m, me, sl_clamp(right, -1, 1), sl_clamp(-ahead, -1, 1), jump);
}

// ---------------------------------------------------------------- movement

static void test_movement_follows_the_closed_forms(void) {
    Match m;
    open_empty(&m);
    m.knobs[TAG_KNOB_arena_half] = 14.8;
    begin(&m, 1);
    put(&m, 0, -10, 0, 0, 1, 0);
    put(&m, 1, 0, 0, 12, 0, -1);
    act(&m, 0, 0, -1, 0);
    int ticks = 0;
    while (m.world.vx[0] < 7.999f && ticks < 100) { step(&m); ticks++; }
    check_near(ticks / 60.0, 0.40, 1.01 / 60, "full speed takes 0.40 s");
    check_near(m.world.x[0], -10 + 1.6, 0.02, "and 1.6 m");
    steps(&m, 30);
    check_near(m.world.vx[0], 8.0, 1e-4, "top speed is 8 m/s");
    float from = m.world.x[0];
    act(&m, 0, 0, 0, 0);
    for (ticks = 0; m.world.vx[0] > 0.0f && ticks < 100; ticks++) step(&m);
    check_near(ticks / 60.0, 0.267, 1.01 / 60, "rest takes 0.27 s");
    check_near(m.world.x[0] - from, 1.067, 0.01, "and 1.07 m");
    act(&m, 0, 0, -0.5f, 0);
    steps(&m, 60);
    check_near(m.world.vx[0], 4.0, 1e-3, "half the input is half the speed");
}

static void test_a_diagonal_is_no_faster(void) {
    Match m;
    open_empty(&m);
    begin(&m, 1);
    m.rules.turn_control = 1;
    put(&m, 0, -8, 0, -8, 0, 1);
    put(&m, 1, 8, 0, -8, 0, 1);
    act(&m, 0, -1, -1, 0);
    act(&m, 1, 0, 0, 0);
    steps(&m, 40);
    check_near(hypot(m.world.vx[0], m.world.vz[0]), 8.0, 1e-4, "a diagonal at full input is 8 m/s");
    check_near(m.world.fz[0], 1.0, 1e-5, "with turn_control and no turn the eyes stay");
}

static void test_a_jump_follows_gravity(void) {
    Match m;
    open_empty(&m);
    begin(&m, 1);
    put(&m, 0, -5, 0, 0, 0, -1);
    put(&m, 1, 5, 0, 0, 0, -1);
    act(&m, 0, 0, 0, 1);
    float apex = 0;
    int air = 0;
    do {
        step(&m);
        act(&m, 0, 0, 0, 0);
        apex = sl_max(apex, m.world.y[0]);
        air++;
    } while (!m.world.on_floor[0] && air < 200);
    check_near(apex, 1.5434, 0.01, "the apex of a jump is 1.54 m");
    check_near(air / 60.0, 1.122, 1.5 / 60, "a jump lasts 1.12 s");
    check_true(m.world.y[0] == 0.0f, "feet come back to the floor exactly");
    put(&m, 0, -5, 5, 0, 0, -1);
    for (int t = 1; t <= 55; t++) {
        step(&m);
        double s = t / 60.0, fallen = 0.5 * 9.8 * s * s;
        check_near(5 - (double)m.world.y[0], fallen, 0.01 * fallen + 1e-4, "free fall keeps to the closed form within 1 %");
    }
    steps(&m, 545);
    check_true(m.world.y[0] == 0.0f && m.world.on_floor[0], "after a drop from 5 m the body stands on the floor");
}

static void test_coyote_time_acts(void) {
    Match m;
    for (int wait = 5; wait <= 7; wait++) {
        open_empty(&m);
        begin(&m, 1);
        put_box(&m, -3, 0, 1, 1, 1);
        put(&m, 0, -3, 1, 0, 1, 0);
        put(&m, 1, 8, 0, 8, 0, -1);
        act(&m, 0, 0, -1, 0);
        step(&m);
        check_true(m.world.on_floor[0], "a body stands on a box");
        int guard = 0;
        while (m.world.on_floor[0] && guard++ < 200) step(&m);
        steps(&m, wait - 1);
        act(&m, 0, 0, -1, 1);
        step(&m);
        check(m.world.jumps == (wait <= 6), "a jump works for 0.1 s after leaving an edge and no longer", m.world.jumps, wait <= 6);
    }
}

static void test_eyes_turn_at_their_rate(void) {
    Match m;
    open_empty(&m);
    begin(&m, 1);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 8, 0, 8, 0, -1);
    act(&m, 0, 0, 1, 0);        // straight back
    step(&m);
    check_near(m.world.fx[0], -sin(6 * 3.14159265358979 / 180), 1e-5, "a half turn goes to the left, 6 degrees a tick");
    // keep asking for the same direction in the world
    int ticks = 1;
    while (m.world.fz[0] < 0.99999f && ticks < 100) { act_toward(&m, 0, 0, 100, 0); step(&m); ticks++; }
    check_near(ticks, 30, 1.01, "a half turn takes half a second");
    for (int t = 0; t < 5000; t++) { act(&m, 0, 0.3f, 0.8f, 0); step(&m); }
    check_near(hypot(m.world.fx[0], m.world.fz[0]), 1.0, 1e-6, "a facing keeps its length");
}

// ---------------------------------------------------------------- walls, boxes, bodies

static void test_walls_hold(void) {
    static const float dirs[8][2] = { {1,0}, {-1,0}, {0,1}, {0,-1}, {1,1}, {1,-1}, {-1,1}, {-1,-1} };
    for (int d = 0; d < 8; d++)
        for (int jump = 0; jump < 2; jump++) {
            Match m;
            const char *what = "";
            open_empty(&m);
            begin(&m, (uint64_t)d);
            put(&m, 0, 0, 0, 0, 0, -1);
            put(&m, 1, dirs[d][0] * -3, 0, dirs[d][1] * -3, 0, -1);
            int bad = 0;
            for (int t = 0; t < 300; t++) {
                act_toward(&m, 0, dirs[d][0] * 100, dirs[d][1] * 100, (float)jump);
                act_toward(&m, 1, dirs[d][0] * 100, dirs[d][1] * 100, (float)jump);
                step(&m);
                bad |= corner_inside(&m, &what);
                if (over(&m)) { m.world.reason = TAG_NOT_ENDED; m.world.in_play[1] = 1; }
            }
            check_true(!bad, "no corner enters a wall at full speed, straight, diagonal or jumping");
            double reached = sl_max(sl_abs(m.world.x[0]), sl_abs(m.world.z[0]));
            check_near(reached, 10 - 0.5, 0.002, "a body gets as near as a millimetre to the wall");
        }
}

static void test_boxes_block_and_carry(void) {
    Match m;
    open_empty(&m);
    begin(&m, 3);
    put_box(&m, 0, 0, 1, 1, 1);
    put(&m, 0, -5, 0, 0.3f, 1, 0);
    put(&m, 1, 8, 0, 8, 0, -1);
    for (int t = 0; t < 120; t++) { act_toward(&m, 0, 100, 0.3f, 0); step(&m); }
    check_near(m.world.x[0], -1.501, 1e-4, "a box stops a body a millimetre before it");
    check_true(m.world.vx[0] == 0.0f, "and takes its speed");
    for (int t = 0; t < 40; t++) { act_toward(&m, 0, 100, 0.3f, 1); step(&m); }
    check_true(m.world.y[0] >= 1.0f && m.world.x[0] > -1.5f, "a jump gets onto a low box");
    for (int t = 0; t < 60; t++) { act(&m, 0, 0, 0, 0); step(&m); }
    check_true(m.world.y[0] == 1.0f && m.world.on_floor[0], "feet rest on its top exactly");
    put_box(&m, 5, 0, 1, 1, 2.5f);
    put(&m, 0, 2, 0, 0, 1, 0);
    float highest = 0;
    for (int t = 0; t < 300; t++) { act_toward(&m, 0, 100, 0, 1); step(&m); highest = sl_max(highest, m.world.y[0]); }
    check_true(m.world.x[0] < 3.5f && highest < 1.6f, "nobody jumps onto a tall box from the floor");
}

static void test_bodies_block_and_stack(void) {
    Match m;
    open_empty(&m);
    m.knobs[TAG_KNOB_seekers] = 2;
    m.knobs[TAG_KNOB_spawn_separation] = 4;
    begin(&m, 3);
    put(&m, 0, -3, 0, 0, 1, 0);
    put(&m, 1, 0, 0, 0, 1, 0);
    put(&m, 2, 8, 0, 8, 0, -1);
    for (int t = 0; t < 60; t++) { act_toward(&m, 0, 100, 0, 0); step(&m); }
    check_near(m.world.x[0], -1.001, 1e-4, "a body stops a millimetre before another");
    put(&m, 0, 0.3f, 3, 0.2f, 1, 0);
    act(&m, 0, 0, 0, 0);
    steps(&m, 120);
    check_true(m.world.y[0] == 1.0f && m.world.on_floor[0], "a body stands on another's head");
    act(&m, 1, 0, 0, 1);
    steps(&m, 60);
    check_near(m.world.y[1], 0.0, 1e-6, "who carries somebody cannot jump");
    act(&m, 1, 0, -1, 0);
    steps(&m, 60);
    check_true(m.world.y[0] == 0.0f, "who stood on a body that left falls to the floor");
}

// ---------------------------------------------------------------- sight

static const float *ray(const Match *m, int agent, int i) {
    return m->observations + agent * tag_observation_size(&m->rules) + 12 + 4 * i;
}

static void look(Match *m) { tag_observe(&m->rules, &m->world, &m->view); }

static int rays_on_agent(const Match *m, int agent) {
    int count = 0;
    for (int i = 0; i < TAG_RAYS; i++) count += ray(m, agent, i)[3] > 0.5f;
    return count;
}

static void test_eyes_see_what_is_there(void) {
    Match m;
    open_empty(&m);
    begin(&m, 3);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 0, 0, -6, 0, -1);
    look(&m);
    check_true(ray(&m, 0, 17)[3] == 1.0f && ray(&m, 0, 18)[3] == 1.0f, "an opponent straight ahead is on the two middle rays");
    check_near(ray(&m, 0, 17)[0] * 15, 5.5 / cos(120.0 / 35 / 2 * 3.14159265358979 / 180), 0.01, "at its distance to a centimetre");
    check_true(ray(&m, 0, 0)[2] == 1.0f && ray(&m, 0, 0)[3] == 0.0f, "the edge of the view meets a wall");
    check_near(ray(&m, 0, 0)[0] * 15, 10 / sin(60 * 3.14159265358979 / 180), 0.01, "whose distance is right");
    check_true(rays_on_agent(&m, 1) == 0, "who is behind is not seen");
    put(&m, 1, 5, 0, -2.8868f, 0, -1);      // 60 degrees to the right: the edge of the view
    look(&m);
    check_true(ray(&m, 0, 0)[3] == 1.0f && rays_on_agent(&m, 0) >= 1 && ray(&m, 0, 35)[3] == 0.0f, "ray 0 is the right edge");
    put(&m, 1, -5, 0, -2.8868f, 0, -1);
    look(&m);
    check_true(ray(&m, 0, 35)[3] == 1.0f && ray(&m, 0, 0)[3] == 0.0f, "ray 35 is the left edge");
    put(&m, 1, 6, 0, 0, 0, -1);
    look(&m);
    check_true(rays_on_agent(&m, 0) == 0, "who is just outside the view is not seen");
    m.world.fx[0] = 1; m.world.fz[0] = 0;
    look(&m);
    check_true(ray(&m, 0, 17)[3] == 1.0f, "but is seen after turning");
}

static void test_things_hide_what_is_behind_them(void) {
    Match m;
    open_empty(&m);
    begin(&m, 3);
    put(&m, 0, 0, 0, 5, 0, -1);
    put(&m, 1, 0, 0, -5, 0, -1);
    put_box(&m, 0, 0, 1.5f, 0.5f, 2);
    look(&m);
    check_true(rays_on_agent(&m, 0) == 0 && ray(&m, 0, 17)[2] == 1.0f, "a box hides a body");
    check_near(ray(&m, 0, 17)[0] * 15, 4.5, 0.01, "and is seen itself");
    m.world.top[0] = 0.4f;
    look(&m);
    check_true(ray(&m, 0, 17)[3] == 1.0f, "eyes look over a box that is lower");
    m.world.box_count = 0;
    put(&m, 1, 0, 1.2f, -5, 0, -1);
    look(&m);
    check_true(rays_on_agent(&m, 0) == 0, "eyes pass under a body that is higher");
    put(&m, 0, 0, 1.0f, 5, 0, -1);
    look(&m);
    check_true(rays_on_agent(&m, 0) > 0, "and meet it from the same height");
    m.rules.vision_range = 6; m.rules.inv_range = 1.0f / 6;
    look(&m);
    check_true(ray(&m, 0, 17)[1] == 1.0f && ray(&m, 0, 17)[0] == 1.0f, "beyond the range there is nothing");
}

// The plain way: every ray against everything, no culling, in double precision.
static double plain_ray(const Match *m, int me, int i, int *type) {
    const TagRules *r = &m->rules;
    const TagWorld *w = &m->world;
    double angle = (-60.0 + 120.0 * i / 35.0) * 3.14159265358979323846 / 180;
    double dx = (double)w->fx[me] * cos(angle) + (double)w->fz[me] * sin(angle);
    double dz = (double)w->fz[me] * cos(angle) - (double)w->fx[me] * sin(angle);
    double x = w->x[me], z = w->z[me], eye = (double)w->y[me] + 0.5, best = r->vision_range;
    *type = 0;
    double tx = dx == 0 ? 1e9 : ((dx > 0 ? 1 : -1) * (double)r->arena_half - x) / dx;
    double tz = dz == 0 ? 1e9 : ((dz > 0 ? 1 : -1) * (double)r->arena_half - z) / dz;
    if (fmin(tx, tz) < best) { best = fmin(tx, tz); *type = 1; }
    for (int k = 0; k < w->box_count + r->agents; k++) {
        int j = k - w->box_count, body = j >= 0;
        if (body && (j == me || !w->in_play[j])) continue;
        double x0 = body ? w->x[j] - 0.5 : w->min_x[k], x1 = body ? w->x[j] + 0.5 : w->max_x[k];
        double z0 = body ? w->z[j] - 0.5 : w->min_z[k], z1 = body ? w->z[j] + 0.5 : w->max_z[k];
        double low = body ? w->y[j] : 0, high = body ? w->y[j] + 1.0 : w->top[k];
        if (!(low < eye && eye < high)) continue;
        double a = (x0 - x) / dx, b = (x1 - x) / dx, c = (z0 - z) / dz, d = (z1 - z) / dz;
        double enter = fmax(fmin(a, b), fmin(c, d)), leave = fmin(fmax(a, b), fmax(c, d));
        if (enter <= leave && enter > 0 && enter < best) { best = enter; *type = body ? 2 : 1; }
    }
    return best;
}

static void test_rays_agree_with_plain_geometry(void) {
    Match m;
    int wrong = 0, total = 0;
    open_match(&m, 0);
    m.knobs[TAG_KNOB_seekers] = 2;
    m.knobs[TAG_KNOB_hiders] = 3;
    m.knobs[TAG_KNOB_obstacles] = 12;
    for (uint64_t seed = 0; seed < 200; seed++) {
        SlRng rng;
        sl_rng_seed(&rng, seed);
        begin(&m, seed);
        for (int s = 0; s < 20 && !over(&m); s++) {
            for (int i = 0; i < 15; i++) m.actions[i] = random_action(&rng);
            step(&m);
        }
        for (int me = 0; me < 5; me++)
            for (int i = 0; i < TAG_RAYS && m.world.in_play[me]; i++, total++) {
                int type;
                double t = plain_ray(&m, me, i, &type);
                wrong += !(ray(&m, me, i)[1 + type] == 1.0f && fabs(ray(&m, me, i)[0] * 15 - t) < 1e-3);
            }
    }
    check(wrong <= total / 10000, "all but grazing rays agree with plain geometry", wrong, total / 10000);
}

// ---------------------------------------------------------------- rules

static void test_the_clock_is_counted_in_ticks(void) {
    for (int late = 0; late < 2; late++) {
        Match m;
        open_match(&m, 0);
        m.knobs[TAG_KNOB_obstacles] = 0;
        m.knobs[TAG_KNOB_ticks_per_step] = 1;
        begin(&m, 5);
        int touch_tick = 599 + late;
        while (!over(&m)) {
            if (m.world.tick == touch_tick - 1) put(&m, 1, m.world.x[0] + (m.world.x[0] > 0 ? -1.05f : 1.05f), 0, m.world.z[0], 0, -1);
            step(&m);
        }
        check(m.world.tick == touch_tick, "the match ends on the tick of the touch, or on tick 600", m.world.tick, touch_tick);
        check_true(m.world.winner == (late ? TAG_HIDER_WINS : TAG_SEEKER_WINS), "a touch at 9.98 s wins, at 10.00 s it is too late");
        check_true(m.terminated[0] && m.terminated[1] && !m.truncated[0], "both endings of timed are terminations");
        check_near(m.rewards[0], late ? -6 - 0.1 / 60 : 10 - 0.1 / 60, 1.2, "the winner is paid");
        check_near(m.world.sums[1][late ? TAG_HIDER_TIMEOUT : TAG_HIDER_TAGGED], late ? 6 : -10, 1e-6, "the hider's outcome is its own term");
    }
}

static void test_a_touch_needs_no_entering(void) {
    Match m;
    open_empty(&m);
    begin(&m, 5);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 1.05f, 0, 0, 0, -1);
    step(&m);
    check_true(over(&m) && m.world.winner == TAG_SEEKER_WINS, "bodies that are already close touch");
    begin(&m, 5);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 1.2f, 0, 0, 0, -1);
    step(&m);
    check_true(!over(&m), "20 cm are out of reach");
    begin(&m, 5);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 0, 2.4f, 0, 0, -1);
    step(&m);
    check_true(!over(&m), "who is far above is out of reach");
}

static void test_no_touch_goes_through_the_narrowest_box(void) {
    static Match m;
    const double most[] = { TAG_REACH_MOST, 0.1 };
    for (int low = 0; low < 2; low++) for (int n = 0; n < 2; n++) {
        open_empty(&m);
        m.knobs[TAG_KNOB_reach] = most[n];
        begin(&m, 5);
        put_box(&m, 0, 0, 0.5f * TAG_BOX_NARROW, 0.5f * TAG_BOX_NARROW, low ? TAG_LOW_MIN : TAG_TALL_MAX);
        put(&m, 0, -2, 0, 0, 1, 0);
        put(&m, 1, 2, 0, 0, -1, 0);
        act(&m, 0, 0, -1, 0);       // both press against it, from either side
        act(&m, 1, 0, -1, 0);
        for (int s = 0; s < 60; s++) step(&m);
        check_near(m.world.x[1] - m.world.x[0], 1 + TAG_BOX_NARROW, 0.003, "both have come as near as they can");
        check_true(!over(&m), "and the box is between them");
    }
}

static void test_rewards_term_by_term(void) {
    Match m;
    open_match(&m, 0);
    m.knobs[TAG_KNOB_obstacles] = 0;
    begin(&m, 5);
    put(&m, 0, -5, 0, 0, 1, 0);
    put(&m, 1, 5, 0, 0, 1, 0);
    act(&m, 0, 0, -1, 0);
    step(&m);
    double closed = m.world.x[0] + 5;
    check_near(m.world.sums[0][TAG_SEEKER_PROGRESS], 0.14 * closed, 1e-5, "closing pays the seeker per metre");
    check_near(m.world.sums[0][TAG_SEEKER_TIME], -0.1 * 0.05, 1e-7, "time costs the seeker per second");
    check_near(m.world.sums[1][TAG_HIDER_PROGRESS], -0.14 * closed, 1e-5, "being closed in on costs the hider");
    check_near(m.world.sums[1][TAG_HIDER_SURVIVAL], 0.2 * 0.05, 1e-7, "lasting pays the hider per second");
    check_near(m.rewards[0], 0.14 * closed - 0.005, 1e-5, "a reward is the sum of its terms");
    check_near(m.world.progress[0], closed, 1e-5, "info holds the progress");
    act(&m, 0, 0, 0, 1);
    float before = m.world.sums[0][TAG_SEEKER_PROGRESS];
    while (!over(&m)) step(&m);
    check_true(m.world.sums[0][TAG_SEEKER_PROGRESS] <= before + 0.2f, "hopping on the spot earns nothing");
    check_near(m.world.sums[0][TAG_SEEKER_TIMEOUT], -6, 1e-6, "running out of time costs the seeker 6");
    check_near(m.world.sums[1][TAG_HIDER_TIMEOUT], 6, 1e-6, "lasting to the end pays the hider 6");
    check_near(m.world.sums[1][TAG_HIDER_SURVIVAL], 2.0, 1e-4, "the survival bonus of a whole match is 2");
}

static void test_shaping_never_outweighs_the_outcome(void) {
    char why[512] = "";
    Match m;
    open_match(&m, 0);
    begin(&m, 1);
    for (int term = 0; term < TAG_TERMS; term++) check_true(m.rules.worst[term] < 6.0f, "defaults stay under the win bonus");
    open_match(&m, 1);
    begin(&m, 1);
    m.knobs[TAG_KNOB_hider_survival] = 0.7;
    check_true(try_configure(&m, why, sizeof why) == -1 && why[0] == 'h', "a survival bonus of 7 is refused by name");
    m.knobs[TAG_KNOB_allow_farming] = 1;
    check_true(try_configure(&m, why, sizeof why) == 0, "unless farming is allowed");
}

static void test_worst_case_bounds_hold_in_play(void) {
    Match m;
    double most = 0;
    open_match(&m, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        begin(&m, seed);
        while (!over(&m)) {
            int flip = (m.world.steps / 7) & 1;      // a dance: in and out, the old way to farm
            act_toward(&m, 0, flip ? m.world.x[1] : -m.world.x[1], flip ? m.world.z[1] : -m.world.z[1], 1);
            act_toward(&m, 1, flip ? 9 : -9, flip ? -9 : 9, 1);
            step(&m);
        }
        for (int i = 0; i < 2; i++)
            for (int t = 0; t < TAG_TERMS; t++)
                if (t % 4 < 2) most = fmax(most, fabs(m.world.sums[i][t]) / m.rules.worst[t]);
    }
    check(most <= 1.0001, "no shaping term exceeds its stated worst case", most, 1);
}

static void test_several_hiders_go_out_one_by_one(void) {
    Match m;
    open_empty(&m);
    m.knobs[TAG_KNOB_hiders] = 2;
    begin(&m, 5);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 1.05f, 0, 0, 0, -1);
    put(&m, 2, 8, 0, 8, 0, -1);
    step(&m);
    check_true(!over(&m) && !m.world.in_play[1] && m.world.in_play[2], "the first touch takes one hider out");
    check_near(m.world.sums[0][TAG_SEEKER_TAG], 10, 1e-6, "and pays the seeker");
    check_true(ray(&m, 1, 0)[1] == 1.0f && ray(&m, 1, 35)[1] == 1.0f, "who is out sees nothing");
    step(&m);
    check_true(m.rewards[1] == 0.0f, "and earns nothing");
    for (int t = 0; t < 60; t++) { act_toward(&m, 0, 100, 0, 0); step(&m); }
    check_true(m.world.x[0] > 3, "nobody bumps into who is out");
    put(&m, 0, 7, 0, 8, 0, -1);
    step(&m);
    check_true(over(&m) && m.world.winner == TAG_SEEKER_WINS, "the last touch ends the match");
}

static void test_switch_passes_the_role(void) {
    Match m;
    open_empty(&m);
    m.knobs[TAG_KNOB_mode] = TAG_SWITCH;
    m.knobs[TAG_KNOB_time_limit] = 5;
    begin(&m, 5);
    put(&m, 0, 0, 0, 0, 0, -1);
    put(&m, 1, 1.05f, 0, 0, 0, -1);
    step(&m);
    check_true(!m.world.seeker[0] && m.world.seeker[1], "a touch passes the role");
    check_near(m.rewards[0], 6, 0.05, "the old seeker is paid");
    check_near(m.rewards[1], -6, 0.05, "the new one pays");
    check_near(m.observations[156 + 11], 1.0, 1e-6, "both see their immunity");
    steps(&m, 89);
    check_true(m.world.seeker[1] && m.world.tags == 1, "no tag-back within 1.5 s");
    step(&m);
    check_true(m.world.seeker[0] && m.world.tags == 2, "afterwards the touch counts again");
    while (!over(&m)) step(&m);
    check_true(m.truncated[0] && m.truncated[1] && !m.terminated[0] && m.world.tick == 300, "switch ends truncated");
    check_true(m.world.winner == TAG_NOBODY && m.world.sums[0][TAG_SEEKER_TIMEOUT] == 0.0f, "with no winner and no timeout term");
}

static void test_roles_start_as_asked(void) {
    Match m;
    open_match(&m, 0);
    m.knobs[TAG_KNOB_seekers] = 2;
    m.knobs[TAG_KNOB_hiders] = 3;
    begin(&m, 1);
    check_true(m.world.seeker[0] && m.world.seeker[1] && !m.world.seeker[2] && !m.world.seeker[4], "the first agents seek");
    m.knobs[TAG_KNOB_first_is_seeker] = 0;
    begin(&m, 1);
    check_true(!m.world.seeker[0] && !m.world.seeker[2] && m.world.seeker[3] && m.world.seeker[4], "or the last ones");
    m.knobs[TAG_KNOB_head_start_s] = 1;
    begin(&m, 1);
    float x = m.world.x[4], z = m.world.z[4];
    for (int i = 0; i < 5; i++) act(&m, i, 0, -1, 1);
    steps(&m, 20);
    check_true(m.world.x[4] == x && m.world.z[4] == z, "seekers wait out the head start");
    steps(&m, 2);
    check_true(m.world.x[4] != x || m.world.z[4] != z, "and go afterwards");
}

// ---------------------------------------------------------------- reset

static double gap_between(double a0, double a1, double b0, double b1) { return fmax(b0 - a1, a0 - b1); }

static void check_layout(const Match *m) {
    const TagRules *r = &m->rules;
    const TagWorld *w = &m->world;
    const char *what = "";
    for (int i = 0; i < r->agents; i++)
        for (int j = 0; j < i; j++)
            check(hypot(w->x[i] - w->x[j], w->z[i] - w->z[j]) >= (double)r->separation - 1e-6, "agents start apart", i, j);
    check_true(!corner_inside(m, &what), "nobody starts inside anything");
    double room = 1.3 * (double)r->edge - 1e-4;
    for (int b = 0; b < w->box_count; b++) {
        check_true(w->min_x[b] >= -r->arena_half + room && w->max_x[b] <= r->arena_half - room
                   && w->min_z[b] >= -r->arena_half + room && w->max_z[b] <= r->arena_half - room, "a body passes between box and wall");
        for (int o = 0; o < b; o++)
            check_true(fmax(gap_between(w->min_x[b], w->max_x[b], w->min_x[o], w->max_x[o]),
                            gap_between(w->min_z[b], w->max_z[b], w->min_z[o], w->max_z[o])) >= room, "a body passes between boxes");
    }
}

static void test_matches_begin_fairly(void) {
    Match m;
    int boxes = 0, low = 0;
    open_match(&m, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        begin(&m, seed);
        check_layout(&m);
        boxes += m.world.box_count;
        for (int b = 0; b < m.world.box_count; b++) low += m.world.top[b] < 1.3f;
    }
    check(boxes > 300 * 7, "nearly all of 8 boxes find room", boxes / 300.0, 8);
    check(low > boxes / 3 && low < boxes * 2 / 3, "about half of them are low", low, boxes / 2.0);
    m.knobs[TAG_KNOB_seekers] = 4;
    m.knobs[TAG_KNOB_hiders] = 4;
    for (uint64_t seed = 0; seed < 300; seed++) { begin(&m, seed); check_layout(&m); }
    m.knobs[TAG_KNOB_arena_half] = 6;
    m.knobs[TAG_KNOB_spawn_separation] = 4.99;
    for (uint64_t seed = 0; seed < 100; seed++) { begin(&m, seed); check_layout(&m); }
}

static void test_impossible_settings_are_refused(void) {
    char why[512];
    Match m;
    open_match(&m, 0);
    m.knobs[TAG_KNOB_seekers] = 7;
    m.knobs[TAG_KNOB_hiders] = 7;
    why[0] = 0;
    check_true(try_configure(&m, why, sizeof why) == -1 && why[0], "fourteen agents are refused with a sentence");
    open_match(&m, 0);
    m.knobs[TAG_KNOB_spawn_separation] = 20;
    why[0] = 0;
    check_true(try_configure(&m, why, sizeof why) == -1 && why[0], "a separation without room is refused");
    open_match(&m, 0);
    m.knobs[TAG_KNOB_spawn_separation] = 2;
    m.knobs[TAG_KNOB_reach] = TAG_REACH_MOST;
    check_true(try_configure(&m, why, sizeof why) == -1, "so is one that lets a match begin with a touch");
    open_match(&m, 0);
    m.knobs[TAG_KNOB_arena_half] = 4;
    m.knobs[TAG_KNOB_spawn_margin] = 13;
    check_true(try_configure(&m, why, sizeof why) == -1, "so is a margin wider than the arena");
    check_true(tag_configure(&m.rules, m.knobs, why, 8) == -1 && why[7] == 0, "a short buffer is not overrun");
}

// ---------------------------------------------------------------- determinism

static uint64_t trace(uint64_t seed, int copy_at) {
    static Match m, copy;
    SlRng rng;
    uint64_t hash = SL_HASH_START;
    open_match(&m, 0);
    begin(&m, seed);
    sl_rng_seed(&rng, seed + 1);
    for (int s = 0; s < 200 && !over(&m); s++) {
        if (s == copy_at) {         // save, walk off, restore: as if nothing had been
            sl_copy(&copy.world, &m.world, sizeof m.world);
            for (int i = 0; i < 6; i++) m.actions[i] = 1.0f;
            steps(&m, 3);
            sl_copy(&m.world, &copy.world, sizeof m.world);
        }
        for (int i = 0; i < 6; i++) m.actions[i] = random_action(&rng);
        step(&m);
        hash = sl_hash_bytes(hash, &m.world, sizeof m.world);
        hash = sl_hash_bytes(hash, m.observations, 2 * 156 * sizeof(float));
        hash = sl_hash_bytes(hash, m.rewards, 2 * sizeof(float));
    }
    return hash;
}

static void test_one_seed_gives_one_trace(void) {
    int same = 1, different = 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        same &= trace(seed, -1) == trace(seed, -1) && trace(seed, -1) == trace(seed, 30);
        different &= trace(seed, -1) != trace(seed + 1, -1);
    }
    check_true(same, "the same seed and actions give the same bits, also after a restore");
    check_true(different, "another seed gives another match");
    uint64_t all = 0;
    for (uint64_t seed = 0; seed < 50; seed++) all = sl_hash_word(all, trace(seed, -1));
    printf("trace of 50 matches: %016llx\n", (unsigned long long)all);
}

static void test_layouts_and_blocks_have_their_sizes(void) {
    Match m;
    SlShape shape;
    float block[2048];
    static char text[65536];
    for (int layout = 0; layout < 2; layout++)
        for (int privileged = 0; privileged < 2; privileged++) {
            open_match(&m, 0);
            m.knobs[TAG_KNOB_layout] = layout;
            m.knobs[TAG_KNOB_privileged] = privileged;
            m.knobs[TAG_KNOB_turn_control] = privileged;
            m.knobs[TAG_KNOB_hiders] = 4;
            begin(&m, 2);
            tag_shape(&m.rules, &shape);
            check(shape.observation == (layout ? 84 : 156) + 4 * privileged, "an observation has its size", shape.observation, 0);
            check(shape.observation == tag_observation_size(&m.rules), "and the core writes as much", shape.observation, 0);
            for (int i = 0; i < 2048; i++) block[i] = 12345.0f;
            tag_render(&m.rules, &m.world, block);
            check_true(block[shape.render - 1] != 12345.0f && block[shape.render] == 12345.0f, "render fills its block");
            for (int i = 0; i < 2048; i++) block[i] = 12345.0f;
            tag_info(&m.rules, &m.world, block);
            check_true(block[shape.info - 1] != 12345.0f && block[shape.info] == 12345.0f, "info fills its block");
            for (int i = 0; i < 2048; i++) block[i] = 12345.0f;
            tag_episode(&m.rules, &m.world, block);
            check_true(block[shape.episode - 1] != 12345.0f && block[shape.episode] == 12345.0f, "episode fills its block");
            SlText t = { text, sizeof text, 0, 0, 0 };
            sl_open(&t, '{');
            tag_describe(&m.rules, &t);
            sl_close(&t, '}');
            check_true(t.used < (int64_t)sizeof text && t.used > 1000, "the game describes itself");
        }
}

static void test_events_tell_the_story(void) {
    Match m;
    SlEvent events[SL_MAX_EVENTS];
    open_empty(&m);
    begin(&m, 5);
    check_true(tag_events(&m.rules, &m.world, events, SL_MAX_EVENTS) == 1 && events[0].kind == TAG_EVENT_START, "a match begins");
    put(&m, 0, 0, 0, 0, 1, 0);
    put(&m, 1, 4, 0, 0, 0, -1);
    act(&m, 0, 0, 0, 1);
    step(&m);
    int count = tag_events(&m.rules, &m.world, events, SL_MAX_EVENTS);
    check_true(count == 2 && events[0].kind == TAG_EVENT_JUMP && events[1].kind == TAG_EVENT_SIGHT && events[1].values[1] == 1.0f, "a jump and a sight");
    put(&m, 1, 1.05f, 0, 0, 0, -1);
    put(&m, 0, 0, 0, 0, 0, -1);
    act(&m, 0, 0, 0, 0);
    step(&m);
    count = tag_events(&m.rules, &m.world, events, SL_MAX_EVENTS);
    check_true(count >= 1 && events[0].kind == TAG_EVENT_TAG && events[0].values[0] == 0.0f && events[0].values[1] == 1.0f, "a tag by whom of whom");
}

static void test_random_players_meet(void) {
    Match m;
    SlRng rng;
    int met = 0, tagged = 0;
    open_match(&m, 0);
    sl_rng_seed(&rng, 99);
    for (uint64_t seed = 0; seed < 100; seed++) {
        int close = 0;
        float mood[6] = { 0 };
        begin(&m, seed);
        while (!over(&m)) {
            if (m.world.steps % 10 == 0) for (int i = 0; i < 6; i++) mood[i] = random_action(&rng);
            for (int i = 0; i < 6; i++) m.actions[i] = mood[i];
            step(&m);
            close |= tag_distance(&m.world, 0, 1) < 2.0f;
        }
        met += close;
        tagged += m.world.winner == TAG_SEEKER_WINS;
    }
    check(met >= 10, "two random players meet in at least a tenth of 100 matches", met, 10);
    check(tagged >= 2, "and touches occur", tagged, 2);
}

// ---------------------------------------------------------------- scripted players

static const SlBot *find_bot(const char *name) {
    for (int i = 0; i < SL_COUNT(TAG_BOTS); i++)
        if (strcmp(TAG_BOTS[i].name, name) == 0) return &TAG_BOTS[i];
    return NULL;
}

static void seed_memory(float *memory, uint64_t seed) {
    uint64_t state = sl_seed_split(7, seed);
    sl_fill(memory, 0, SL_BOT_MEMORY * sizeof(float));
    sl_copy(memory, &state, sizeof state);
}

// Matches of 100 that the seeker wins. Memory is seeded once: bots must notice a new match themselves.
static int seeker_wins(const char *seeker, int seeker_level, const char *hider, int hider_level) {
    Match m;
    float memory[2][SL_BOT_MEMORY];
    int wins = 0;
    seed_memory(memory[0], 1);
    seed_memory(memory[1], 2);
    open_match(&m, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        begin(&m, seed);
        while (!over(&m)) {
            find_bot(seeker)->act(&m.rules, seeker_level, m.observations, NULL, memory[0], m.actions);
            find_bot(hider)->act(&m.rules, hider_level, m.observations + 156, NULL, memory[1], m.actions + 3);
            for (int i = 0; i < 6; i++)
                if (!(m.actions[i] >= -1.0f && m.actions[i] <= 1.0f)) check_true(0, "a bot's action stays in [-1, 1]");
            step(&m);
        }
        wins += m.world.winner == TAG_SEEKER_WINS;
    }
    return wins;
}

static void test_higher_levels_play_better(void) {
    for (int level = 1; level < 3; level++) {
        check_true(seeker_wins("chase", level + 1, "evade", 3) > seeker_wins("chase", level, "evade", 3) + 10, "chase gains by level");
        check_true(seeker_wins("ambush", level + 1, "evade", 3) > seeker_wins("ambush", level, "evade", 3) + 10, "ambush gains by level");
        check_true(seeker_wins("chase", level, "evade", level + 1) < seeker_wins("chase", level, "evade", level) - 10, "evade gains by level");
        check_true(seeker_wins("wander", level + 1, "evade", 1) > seeker_wins("wander", level, "evade", 1) + 10, "wander gains by level");
    }
    check_true(seeker_wins("chase", 3, "wander", 1) > 90, "the best chaser nearly always gets a stroller");
}

static void test_bots_stand_still_where_they_cannot_read(void) {
    Match m;
    float memory[SL_BOT_MEMORY];
    seed_memory(memory, 1);
    open_match(&m, 0);
    m.knobs[TAG_KNOB_layout] = TAG_LAYOUT_REFERENCE;
    begin(&m, 1);
    act(&m, 0, 1, 1, 1);
    find_bot("chase")->act(&m.rules, 3, m.observations, NULL, memory, m.actions);
    check_true(m.actions[0] == 0.0f && m.actions[1] == 0.0f && m.actions[2] == 0.0f, "another layout is not guessed at");
}

// ---------------------------------------------------------------- stress

// Players who try to get inside things: random, leaning on one another, hugging corners, all jumping.
static void stress_actions(Match *m, SlRng *rng, int style) {
    for (int i = 0; i < m->rules.agents; i++) {
        int other = sl_integer_in(rng, 0, m->rules.agents - 1);
        int box = m->world.box_count ? sl_integer_in(rng, 0, m->world.box_count - 1) : -1;
        float jump = sl_uniform(rng) < 0.5f ? 1.0f : 0.0f;
        float right = random_action(rng);
        float back = random_action(rng);
        if (style == 0) act(m, i, right, back, 0.5f + right * back);
        else if (style == 1) act_toward(m, i, m->world.x[other], m->world.z[other], jump);
        else if (style == 2) act_toward(m, i, i & 1 ? 99.0f : -99.0f, i & 2 ? 99.0f : -99.0f, jump);
        else if (box >= 0) act_toward(m, i, m->world.min_x[box], m->world.max_z[box], jump);
        else act(m, i, 1, 0, jump);
    }
}

static void stress_rules(Match *m, SlRng *rng) {
    static const double rates[] = { 30, 60, 60, 120, 240 };
    open_match(m, sl_integer_in(rng, 0, 1));
    m->knobs[TAG_KNOB_allow_farming] = 1;
    m->knobs[TAG_KNOB_mode] = sl_integer_in(rng, 0, 1);
    m->knobs[TAG_KNOB_seekers] = sl_integer_in(rng, 1, 4);
    m->knobs[TAG_KNOB_hiders] = sl_integer_in(rng, 1, 4);
    m->knobs[TAG_KNOB_obstacles] = sl_integer_in(rng, 0, 12);
    m->knobs[TAG_KNOB_spawn_margin] = 1;
    m->knobs[TAG_KNOB_arena_half] = (double)sl_uniform_in(rng, 5, 14.8f);
    m->knobs[TAG_KNOB_spawn_separation] = 2.6;
    m->knobs[TAG_KNOB_tick_rate] = rates[sl_integer_in(rng, 0, 4)];
    m->knobs[TAG_KNOB_ticks_per_step] = sl_integer_in(rng, 1, 12);
    m->knobs[TAG_KNOB_body_edge] = (double)sl_uniform_in(rng, 0.5f, 1.5f);
    m->knobs[TAG_KNOB_top_speed] = (double)sl_uniform_in(rng, 1, 12);
    m->knobs[TAG_KNOB_seeker_speed] = (double)sl_uniform_in(rng, 0.25f, 1.5f);
    m->knobs[TAG_KNOB_acceleration] = (double)sl_uniform_in(rng, 1, 100);
    m->knobs[TAG_KNOB_jump_speed] = (double)sl_uniform_in(rng, 0, 8);
    m->knobs[TAG_KNOB_gravity] = (double)sl_uniform_in(rng, 1, 30);
    m->knobs[TAG_KNOB_low_share] = (double)sl_uniform(rng);
}

// One step, with a look at every tick of it: how many ticks ended with a corner inside something.
static int step_tick_by_tick(Match *m, const char **what) {
    TagIntent intents[TAG_AGENTS];
    TagNear near_boxes[TAG_AGENTS];
    static Match slow;
    int inside = 0;
    slow = *m;
    for (int i = 0; i < m->rules.agents; i++) {
        tag_decide(&slow.rules, &slow.world, i, slow.actions + 3 * i, &intents[i]);
        tag_find_near(&slow.rules, &slow.world, i, &near_boxes[i]);
    }
    step(m);
    for (int t = 0; t < m->world.step_ticks; t++) {
        tag_tick(&slow.rules, &slow.world, near_boxes, intents);
        inside += corner_inside(&slow, what);
    }
    check_true(slow.world.x[0] == m->world.x[0] && slow.world.y[0] == m->world.y[0], "ticks one by one come to the same as a step");
    return inside;
}

static void test_nothing_ever_gets_inside(long ticks_wanted) {
    static Match m;
    SlRng rng;
    long ticks = 0, matches = 0, inside = 0, wild = 0;
    const char *what = "", *first = "anything";
    sl_rng_seed(&rng, 2024);
    while (ticks < ticks_wanted) {
        if (matches % 2) stress_rules(&m, &rng);
        else { open_match(&m, 0); m.knobs[TAG_KNOB_hiders] = sl_integer_in(&rng, 1, 7); }
        begin(&m, (uint64_t)matches++);
        int style = sl_integer_in(&rng, 0, 3);
        while (!over(&m)) {
            if (m.world.steps % 20 == 0) style = sl_integer_in(&rng, 0, 3);
            stress_actions(&m, &rng, style);
            int bad = step_tick_by_tick(&m, &what);
            ticks += m.world.step_ticks;
            inside += bad;
            if (bad) first = what;
            wild += !observation_in_range(&m);
        }
    }
    printf("stress: %ld ticks in %ld matches, %ld inside %s, %ld observations out of range\n", ticks, matches, inside, first, wild);
    check(inside == 0, "no corner is ever inside a wall, a box, the floor or another body", (double)inside, 0);
    check(wild == 0, "every observation stays in [-1, 1]", (double)wild, 0);
}

int main(int argc, char **argv) {
    test_movement_follows_the_closed_forms();
    test_a_diagonal_is_no_faster();
    test_a_jump_follows_gravity();
    test_coyote_time_acts();
    test_eyes_turn_at_their_rate();
    test_walls_hold();
    test_boxes_block_and_carry();
    test_bodies_block_and_stack();
    test_eyes_see_what_is_there();
    test_things_hide_what_is_behind_them();
    test_rays_agree_with_plain_geometry();
    test_the_clock_is_counted_in_ticks();
    test_a_touch_needs_no_entering();
    test_no_touch_goes_through_the_narrowest_box();
    test_rewards_term_by_term();
    test_shaping_never_outweighs_the_outcome();
    test_worst_case_bounds_hold_in_play();
    test_several_hiders_go_out_one_by_one();
    test_switch_passes_the_role();
    test_roles_start_as_asked();
    test_matches_begin_fairly();
    test_impossible_settings_are_refused();
    test_one_seed_gives_one_trace();
    test_layouts_and_blocks_have_their_sizes();
    test_events_tell_the_story();
    test_random_players_meet();
    test_higher_levels_play_better();
    test_bots_stand_still_where_they_cannot_read();
    test_nothing_ever_gets_inside(argc > 1 ? atol(argv[1]) : 200000);
    printf("tag: %d checks, %d failed\n", checks, failures);
    return failures > 99 ? 99 : failures;
}
