// prospector_test.c: the core's own tests, a plain program: cc engine/prospector/prospector_test.c -lm && ./a.out
// It prints each sentence that turned out false and returns how many there were.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/hash.h"
#include "unit.c"

enum { BALANCED, CLASSIC };

static ProspectorRules rules;
static ProspectorWorld world;
static float observation[PR_OBSERVATION], reward;
static uint8_t mask[PR_ACTIONS], terminated, truncated;
static int32_t ticks, action;
static SlView view;
static int failures;

static void check(int truth, const char *sentence) {
    if (truth) return;
    printf("false: %s\n", sentence);
    failures++;
}

static int near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }

// ---- small helpers ----

static void configure(int profile, const char *knob, double value) {
    double values[SL_COUNT(PR_KNOB_TABLE)];
    char why[256];
    for (int i = 0; i < SL_COUNT(PR_KNOB_TABLE); i++)
        values[i] = knob && !strcmp(PR_KNOB_TABLE[i].name, knob) ? value : PR_KNOB_TABLE[i].defaults[profile];
    check(prospector_configure(&rules, values, why, sizeof why) == 0, "every profile configures");
}

static void reset(uint64_t seed) {
    prospector_reset(&rules, &world, seed);
    prospector_observe(&rules, &world, &view);
    terminated = truncated = 0;
}

static void step(int32_t id) {
    action = id;
    prospector_step(&rules, &world, &view);
}

// After a test has set state by hand: mask and observation follow it.
static void refresh(void) {
    pr_weigh(&world);
    PrStep arrival = pr_arrival();
    pr_make_mask(&rules, &world, &arrival);
    prospector_observe(&rules, &world, &view);
}

static void go_to_field(void) {
    while (world.node == 0) {
        step(PR_TRAVEL);
        if (terminated) reset(world.rng.state);
    }
}

static int has_event(int kind) {
    for (int i = 0; i < world.event_count && i < SL_MAX_EVENTS; i++) if (world.events[i].kind == kind) return 1;
    return 0;
}

// ---- the worked numbers of the classic profile ----

static void test_fracture_chances_are_those_of_the_first_version(void) {
    static const double plain[3] = { 0.0573, 0.1091, 0.2142 }, steady[3] = { 0.0198, 0.0392, 0.0832 };
    configure(CLASSIC, 0, 0);
    for (int m = 0; m < 3; m++) {
        check(near(pr_fracture_chance(&rules, &rules.modes[m], 0.6f, 70, 100, 0.5f, 0), plain[m], 5e-5), "fracture chance at stability 0.6");
        check(near(pr_fracture_chance(&rules, &rules.modes[m], 0.6f, 0, 100, 0, 1), steady[m], 5e-5), "fracture chance when stabilised");
    }
}

static void test_pirate_chances_are_those_of_the_first_version(void) {
    static const float value[4] = { 0, 1000, 5000, 20000 };
    static const double calm[4] = { 0.0300, 0.0512, 0.1149, 0.2613 }, alert[4] = { 0.2184, 0.3273, 0.5395, 0.7614 };
    configure(CLASSIC, 0, 0);
    reset(1);
    for (int i = 0; i < 4; i++) {
        world.value = value[i];
        world.ship.alert = 0;
        check(near(pr_pirate_chance(&rules, &world, 0.175f, 1), calm[i], 5e-5), "pirate chance without alert");
        world.ship.alert = 100;
        check(near(pr_pirate_chance(&rules, &world, 0.175f, 1), alert[i], 5e-5), "pirate chance at full alert");
    }
}

static void test_slippage_is_that_of_the_first_version(void) {
    static const float q[4] = { 10, 33, 100, 200 }, stock[4] = { 70, 70, 70, 20 };
    static const double slip[4] = { 0.1020, 0.1933, 0.3005, 0.4180 };
    configure(CLASSIC, 0, 0);
    for (int i = 0; i < 4; i++)
        check(near(1.0 - pr_proceeds_at_once(&rules, q[i], 1.0f, stock[i]) / q[i], slip[i], 6e-5), "slippage of one sale");
}

static void test_heat_of_mining_is_that_of_the_first_version(void) {
    static const double net[3] = { -0.5, 1.5, 4.5 };
    configure(CLASSIC, 0, 0);
    for (int m = 0; m < 3; m++) check(near(rules.modes[m].heat - rules.heat_dissipation, net[m], 1e-6), "net heat a mining tick");
}

static void test_cashing_out_first_costs_one_tick_in_classic(void) {
    configure(CLASSIC, 0, 0);
    reset(3);
    step(PR_CASH_OUT);
    check(terminated && !truncated, "cash out terminates");
    check(near(reward, -0.001, 1e-9), "cash out as the first action pays -0.001");
}

// ---- sizes ----

static void test_tables_have_the_frozen_sizes(void) {
    SlShape shape;
    static float info[64], render[4096], episode[256];
    configure(BALANCED, 0, 0);
    prospector_shape(&rules, &shape);
    check(sl_fields_size(PR_OBS_FIELDS, SL_COUNT(PR_OBS_FIELDS)) == PR_OBSERVATION, "observation fields sum to 260");
    check(shape.info == 20, "the info block has the twenty keys");
    reset(1);
    info[shape.info] = render[shape.render] = episode[shape.episode] = 42.0f;
    info[shape.info - 1] = render[shape.render - 1] = episode[shape.episode - 1] = -42.0f;
    prospector_info(&rules, &world, info);
    prospector_render(&rules, &world, render);
    prospector_episode(&rules, &world, episode);
    check(info[shape.info] == 42.0f && info[shape.info - 1] != -42.0f, "info fills its block exactly");
    check(render[shape.render] == 42.0f && render[shape.render - 1] != -42.0f, "render fills its block exactly");
    check(episode[shape.episode] == 42.0f && episode[shape.episode - 1] != -42.0f, "episode fills its block exactly");
    check(info[0] == -1.0f && info[1] == 0.0f, "after reset there is no last action");
}

static void test_ranges_out_of_order_are_refused_with_a_sentence(void) {
    double values[SL_COUNT(PR_KNOB_TABLE)];
    char why[256] = "";
    for (int i = 0; i < SL_COUNT(PR_KNOB_TABLE); i++) values[i] = PR_KNOB_TABLE[i].defaults[0];
    for (int i = 0; i < SL_COUNT(PR_KNOB_TABLE); i++) if (!strcmp(PR_KNOB_TABLE[i].name, "nodes_min")) values[i] = 32, values[i + 1] = 5;
    check(prospector_configure(&rules, values, why, sizeof why) < 0, "a minimum above its maximum is refused");
    check(strstr(why, "nodes_min") && strstr(why, "nodes_max"), "the sentence names both knobs");
    check(prospector_configure(&rules, values, why, 8) < 0 && strlen(why) < 8, "a short buffer is not overrun");
}

// ---- generation ----

static void test_balanced_belts_are_connected_and_homes_are_near(void) {
    int slot0 = 0, nodes = 0;
    configure(BALANCED, 0, 0);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        reset(seed);
        check(world.node_count >= 8 && world.node_count <= 32, "8 to 32 nodes");
        for (int i = 1; i < world.node_count; i++) {
            const PrNode *node = &world.nodes[i];
            check(node->hops < PR_UNREACHABLE && node->way_home >= 0, "every node has a way home");
            check(world.nodes[node->neighbor[node->way_home]].hops + 1 == node->hops, "the way home comes nearer");
            slot0 += node->way_home == 0;
            nodes++;
        }
    }
    check(slot0 < 7 * nodes / 10, "slot 0 is not the way home as a rule");
}

static void test_skipped_asteroid_draws_equal_drawn_ones(void) {
    for (int profile = 0; profile < 2; profile++) {
        configure(profile, 0, 0);
        for (int n = 0; n <= PR_ROCKS; n++) {
            SlRng skipped = { 77 }, drawn = { 77 };
            sl_rng_skip(&skipped, rules.rock_jump[n]);
            for (int i = 0; i < n * PR_ROCK_DRAWS + (profile == BALANCED ? PR_GOODS : 0); i++) sl_rng_next(&drawn);
            check(skipped.state == drawn.state, "a jump lands where drawing would");
        }
    }
}

static void test_classic_asteroids_follow_the_stream(void) {
    configure(CLASSIC, 0, 0);
    reset(11);
    SlRng rng = { world.nodes[1].rng };
    pr_enter(&rules, &world, 1);
    const PrRocks *rocks = pr_rocks(&world);
    for (int s = 0; s < world.nodes[1].rocks; s++) {
        float e[6], b[5];
        for (int c = 0; c < 6; c++) e[c] = sl_exponential(&rng);
        for (int c = 0; c < 6; c++) check(rocks->true_comp[c][s] == e[c] / pr_sum6(e), "composition from six exponentials");
        float richness = sl_clamp(sl_exp(-0.2f + 0.65f * sl_normal(&rng)), 0.2f, 4.0f);
        check(rocks->richness[s] == richness, "richness from one normal");
        for (int i = 0; i < 5; i++) b[i] = sl_exponential(&rng);
        float top = (b[0] + b[1]) + b[2];
        check(rocks->stability[s] == top / (top + (b[3] + b[4])), "stability from five exponentials");
        check(rocks->noise[s] == sl_uniform_in(&rng, 0.04f, 0.22f), "noise from one uniform");
        for (int c = 0; c < 6; c++) e[c] = sl_exponential(&rng);
        check(rocks->comp_est[5][s] == e[5] / pr_sum6(e), "first estimate from six exponentials");
    }
}

static void test_the_price_cycle_does_not_drift(void) {
    configure(BALANCED, 0, 0);
    reset(5);
    double period = 9223372036854775808.0 / (double)world.market.rate[2] / 32768.0;
    for (uint64_t t = 0; t <= 1000000; t += 997) {
        double exact = fmod((double)t / period, 1.0), ours = pr_cycle_turns(world.market.rate[2] * t);
        double gap = fabs(exact - ours);
        check(fmin(gap, 1.0 - gap) < 1e-6, "the cycle stands where double precision puts it");
    }
}

// ---- determinism ----

static uint64_t play(uint64_t seed, int legal, int steps) {
    SlRng rng = { seed * 7 + 1 };
    uint64_t hash = SL_HASH_START;
    reset(seed);
    for (int i = 0; i < steps && !terminated && !truncated; i++) {
        int id = (int)(sl_rng_next(&rng) % PR_ACTIONS);
        while (legal && !mask[id]) id = (int)(sl_rng_next(&rng) % PR_ACTIONS);
        step(id);
        hash = sl_hash_bytes(hash, observation, sizeof observation);
        hash = sl_hash_bytes(hash, &reward, sizeof reward);
    }
    return sl_hash_bytes(hash, &world, sizeof world);
}

static void test_an_episode_depends_on_seed_and_actions_alone(void) {
    for (int profile = 0; profile < 2; profile++) {
        configure(profile, 0, 0);
        for (uint64_t seed = 0; seed < 50; seed++) {
            uint64_t first = play(seed, 1, 300);
            play(seed + 1000, 1, 200);
            check(play(seed, 1, 300) == first, "the same bytes after another episode in the same memory");
        }
    }
}

// ---- every step of random play ----

static void check_observation(void) {
    float full[PR_OBSERVATION];
    SlView whole = view;
    whole.observations = full;
    prospector_observe(&rules, &world, &whole);
    check(!memcmp(full, observation, sizeof full), "what a step wrote equals the observation in full");
    int selected = 0;
    for (int i = 0; i < PR_OBSERVATION; i++) {
        float low = i >= PR_OBS_DELTA && i < PR_OBS_STOCK ? -1.0f : 0.0f;
        check(observation[i] >= low && observation[i] <= 1.0f, "every entry lies in its range");
    }
    for (int s = 0; s < PR_ROCKS; s++) {
        const float *rock = observation + PR_OBS_ROCKS + s * PR_ROCK_FIELDS;
        check(near(pr_sum6(rock + 1), rock[0], 1e-5), "estimated shares sum to 1, or to 0 in an empty slot");
        selected += rock[10] == 1.0f;
    }
    check(selected <= 1, "at most one asteroid is selected");
}

static void check_state(void) {
    const PrShip *s = &world.ship;
    check(sl_finite(reward), "the reward is a number");
    check(s->fuel >= 0 && s->fuel <= 1000 && s->hull >= 0 && s->hull <= 100 && s->heat >= 0 && s->heat <= 100, "gauges in range");
    check(s->tool >= 0 && s->tool <= 100 && s->alert >= 0 && s->alert <= 100 && s->time_left >= 0, "gauges in range");
    check(pr_sum6(world.cargo) <= PR_CARGO_MAX && s->total == pr_sum6(world.cargo), "cargo never above 200");
    for (int c = 0; c < PR_GOODS; c++) {
        check(world.cargo[c] >= 0.0f, "no negative cargo");
        check(world.market.price[c] >= rules.low[c] && world.market.price[c] <= rules.high[c], "prices in bounds");
    }
    check(world.cargo[6] == 0.0f && world.market.price[7] == 0.0f, "spare lanes stay empty");
}

static void random_play(int profile, int legal, int steps) {
    SlRng rng = { 99 };
    configure(profile, 0, 0);
    reset(1);
    for (int i = 0; i < steps; i++) {
        int id = (int)(sl_rng_next(&rng) % PR_ACTIONS);
        while (legal && !mask[id]) id = (int)(sl_rng_next(&rng) % PR_ACTIONS);
        int allowed = mask[id], at_station = world.node == 0;
        float time_left = world.ship.time_left, encounters = world.count.encounters;
        step(id);
        check(world.invalid == !allowed, "the mask tells what is valid");
        check(ticks >= 1 && ticks <= PR_MAX_DT, "an action lasts 1 to 8 ticks");
        check(world.ship.time_left == sl_max(0.0f, time_left - (float)ticks), "time drops by exactly dt, and not below zero");
        if (at_station && world.node == 0) check(world.count.encounters == encounters, "no pirates at the station");
        check_state();
        check_observation();
        if (terminated || truncated) reset(sl_rng_next(&rng));
    }
}

static void test_random_play_keeps_every_invariant(void) {
    for (int profile = 0; profile < 2; profile++)
        for (int legal = 0; legal < 2; legal++) random_play(profile, legal, 60000);
}

// ---- actions ----

static void test_unknown_ids_hold_and_cost_a_little(void) {
    static const int32_t ids[] = { -1, -5, 69, 74, 200, 255, 2147483647, (int32_t)-2147483647 };
    float held[PR_OBSERVATION];
    for (int profile = 0; profile < 2; profile++) for (int i = 0; i < SL_COUNT(ids); i++) {
        configure(profile, 0, 0);
        reset(9);
        step(PR_HOLD);
        float hold_reward = reward;
        memcpy(held, observation, sizeof held);
        reset(9);
        step(ids[i]);
        check(world.invalid && world.action == PR_HOLD, "an unknown id is reported as an invalid hold");
        check(!memcmp(held, observation, sizeof held), "it observes what hold observes");
        check(near(reward, hold_reward - 0.01, 1e-7), "it costs 0.01 more than hold");
        check(has_event(PR_EVENT_INVALID), "it is reported as an event");
    }
}

static void test_jettison_needs_cargo_in_balanced_only(void) {
    configure(BALANCED, 0, 0);
    reset(2);
    check(!mask[PR_JETTISON], "nothing to drop");
    world.cargo[PR_PGE] = 10.0f;
    world.ship.alert = 50.0f;
    refresh();
    check(mask[PR_JETTISON + PR_PGE] && !mask[PR_JETTISON], "only what is aboard can be dropped");
    step(PR_JETTISON + PR_PGE);
    check(world.ship.alert < 49.7f && world.ship.alert > 30.0f, "relief follows the value dropped");
    configure(CLASSIC, 0, 0);
    reset(2);
    check(mask[PR_JETTISON], "the first version dropped nothing for relief");
}

static void test_lying_low_works_once_per_arrival(void) {
    configure(BALANCED, 0, 0);
    reset(2);
    world.ship.alert = 90.0f;
    refresh();
    step(PR_DOCK);
    check(has_event(PR_EVENT_DOCK) && near(world.ship.alert, 90 - rules.dock_alert - rules.alert_decay, 1e-4), "alert is relieved");
    check(!mask[PR_DOCK], "a second time is invalid");
    step(PR_DOCK);
    check(world.invalid, "a second time is invalid when tried");
}

static void test_trips_need_fuel_and_no_way_out_is_stranded(void) {
    configure(BALANCED, "pirate_scale", 0);
    reset(4);
    float cost = world.nodes[0].fuel[0];
    world.ship.fuel = cost;
    refresh();
    check(!mask[PR_TRAVEL], "fuel must exceed the trip's");
    world.ship.fuel = cost + 1e-2f;
    refresh();
    check(mask[PR_TRAVEL], "a little more is enough");
    step(PR_TRAVEL);
    check(terminated && world.ending == PR_ENDED_STRANDED && has_event(PR_EVENT_STRANDED), "without fuel for any edge one is stranded");
    check(world.terms[PR_TERM_STRANDED] == -rules.reward_stranded, "the penalty is charged");
}

static void test_stabilised_ticks_start_with_the_next_step_and_end_with_a_trip(void) {
    configure(BALANCED, "pirate_scale", 0);
    reset(6);
    go_to_field();
    step(PR_SELECT);
    step(PR_STABILIZE);
    check(world.steady[0] == rules.stabilize_buff_ticks, "its own ticks do not count");
    step(PR_HOLD);
    check(world.steady[0] == rules.stabilize_buff_ticks - 1, "the next step's do");
    step(PR_TRAVEL + world.nodes[world.node].way_home);
    check(world.steady[0] == 0, "a trip ends it");
    configure(CLASSIC, "pirate_scale", 0);
    reset(6);
    go_to_field();
    step(PR_SELECT);
    step(PR_STABILIZE);
    check(world.steady[0] == 4, "in the first version four mining ticks are covered");
}

static void test_splitting_a_sale_gains_nothing(void) {
    configure(BALANCED, 0, 0);
    float low = rules.low[3], price = 160.0f, whole = pr_proceeds_along_curve(&rules, 100.0f, price, low), parts = 0.0f;
    for (int i = 0; i < 10; i++) {
        parts += pr_proceeds_along_curve(&rules, 10.0f, price, low);
        price = low + (price - low) * sl_exp(-rules.glut * 10.0f);
    }
    check(near(parts, whole, 0.01 * whole * 0.01), "ten small sales bring what one large sale brings");
}

static void test_deep_scans_teach_more_than_focused_and_wide_ones(void) {
    float gain[3];
    for (int profile = 0; profile < 2; profile++) {
        configure(profile, "pirate_scale", 0);
        for (int kind = 0; kind < 3; kind++) {
            reset(8);
            go_to_field();
            step(PR_SELECT);
            float before = pr_rocks(&world)->conf[0];
            step(PR_WIDE + kind);
            gain[kind] = pr_rocks(&world)->conf[0] - before;
        }
        check(gain[2] > gain[1] && gain[1] > gain[0], "deep over focused over wide");
    }
}

static void test_holding_ore_earns_nothing_in_balanced(void) {
    configure(BALANCED, 0, 0);
    reset(12);
    world.cargo[PR_RARE_ISOTOPES] = 200.0f;
    refresh();
    float sum = 0.0f;
    for (int i = 0; i < 1000; i++) { step(PR_HOLD); sum += reward; }
    check(sum <= 0.0f, "price noise is not paid");
}

static void test_cash_out_needs_the_station_in_balanced(void) {
    configure(BALANCED, 0, 0);
    reset(13);
    check(!mask[PR_CASH_OUT], "not without a profit");
    world.credits = world.start_credits + 1.0f;
    refresh();
    check(mask[PR_CASH_OUT], "allowed at the station with one");
    go_to_field();
    check(!mask[PR_CASH_OUT], "not in the field");
}

static void test_time_out_truncates_and_does_not_terminate(void) {
    configure(BALANCED, "time_max", 5);
    reset(14);
    for (int i = 0; i < 5; i++) step(PR_HOLD);
    check(truncated && !terminated && world.ending == PR_ENDED_TIME && has_event(PR_EVENT_TRUNCATED), "time runs out after its ticks");
}

// ---- scripted players ----

static void test_bots_answer_legally_and_repeatably(void) {
    float memory[SL_BOT_MEMORY], before[SL_BOT_MEMORY];
    for (int profile = 0; profile < 2; profile++) for (int b = 0; b < SL_COUNT(PR_BOTS); b++) {
        configure(profile, "time_max", 3000);
        reset((uint64_t)b);
        memset(memory, 0, sizeof memory);
        while (!terminated && !truncated) {
            int32_t again;
            memcpy(before, memory, sizeof memory);
            PR_BOTS[b].act(&rules, PR_BOTS[b].levels, observation, mask, memory, &action);
            PR_BOTS[b].act(&rules, PR_BOTS[b].levels, observation, mask, before, &again);
            check(action == again && !memcmp(before, memory, sizeof memory), "the same situation gives the same answer");
            check(action >= 0 && action < PR_ACTIONS && mask[action], "the answer is legal");
            prospector_step(&rules, &world, &view);
        }
    }
}

// ---- reasons ----

static int reasons_given[PR_REASON_COUNT];

static void check_reasons(void) {
    for (int i = 0; i < PR_ACTIONS; i++) {
        PrReason reason = pr_why_not(&rules, &world, i);
        check((reason == PR_REASON_none) == (mask[i] != 0), "a reason is given exactly where the mask forbids");
        reasons_given[reason]++;
    }
}

// A legal action most of the time, else any: both get far and stumble.
static int32_t stumble(SlRng *rng) {
    int32_t id = sl_integer_in(rng, 0, PR_ACTIONS - 1);
    for (int tries = 0; tries < 40 && !mask[id] && sl_uniform(rng) < 0.9f; tries++) id = sl_integer_in(rng, 0, PR_ACTIONS - 1);
    return id;
}

static void play_and_check_reasons(uint64_t seed, int bot) {
    SlRng rng;
    float memory[SL_BOT_MEMORY] = { 0 };
    sl_rng_seed(&rng, seed);
    reset(seed);
    check_reasons();
    for (int i = 0; i < 400 && !terminated && !truncated; i++) {
        int32_t id = stumble(&rng);
        if (bot >= 0 && i % 8) PR_BOTS[bot].act(&rules, PR_BOTS[bot].levels, observation, mask, memory, &id);
        step(id);
        check_reasons();
    }
}

static void put_all_supplies_aboard(void) {
    configure(BALANCED, 0, 0);
    reset(1);
    world.kits = world.stabilizers = world.decoys = PR_SUPPLY_MAX;
    world.credits = 10000;
    refresh();
    check_reasons();
    world.cargo[0] = PR_CARGO_MAX;
    go_to_field();
    world.selected = 0;
    world.cargo[0] = PR_CARGO_MAX;
    world.ship.fuel = 1;
    refresh();
    check_reasons();
    world.ship.fuel = 900;
    refresh();
    check_reasons();
    world.stabilizers = world.kits = 0;
    refresh();
    check_reasons();
}

static void test_a_reason_is_given_exactly_where_the_mask_forbids(void) {
    static const char *const strict[] = { "useless_is_invalid", "dock_once", "fuel_required", "cash_out_at_station", "jettison_needs_cargo" };
    for (int profile = BALANCED; profile <= CLASSIC; profile++)
        for (int k = -1; k < SL_COUNT(strict); k++) {
            configure(profile, k < 0 ? 0 : strict[k], profile == CLASSIC);
            for (uint64_t seed = 0; seed < 24; seed++) play_and_check_reasons(seed, (int)(seed % 5) - 1);
        }
    put_all_supplies_aboard();
    for (int i = 0; i < PR_REASON_COUNT; i++) {
        if (!reasons_given[i]) printf("reason %s\n", PR_REASON_TABLE[i].name);
        check(reasons_given[i] > 0, "every reason occurs");
    }
}

static void test_a_promised_sale_is_what_the_sale_brings(void) {
    static float render[4096];
    int sale = 0;
    for (int i = 0; i < SL_COUNT(PR_RENDER_FIELDS) && strcmp(PR_RENDER_FIELDS[i].name, "sale"); i++)
        sale += PR_RENDER_FIELDS[i].rows * PR_RENDER_FIELDS[i].columns;
    for (int profile = BALANCED; profile <= CLASSIC; profile++)
        for (int i = 0; i < 3 * PR_GOODS; i++) {
            configure(profile, 0, 0);
            reset(4);
            for (int c = 0; c < PR_GOODS; c++) world.cargo[c] = 10.0f + (float)c;
            refresh();
            prospector_render(&rules, &world, render);
            float credits = world.credits;
            step(PR_SELL + i);
            check(render[sale + i] > 0.0f && world.credits == credits + render[sale + i], "a sale brings what was promised");
        }
}

static void bind_view(void) {
    view.observations = observation;
    view.rewards = &reward;
    view.terminated = &terminated;
    view.truncated = &truncated;
    view.masks = mask;
    view.ticks = &ticks;
    view.actions = &action;
}

int main(void) {
    bind_view();
    test_fracture_chances_are_those_of_the_first_version();
    test_pirate_chances_are_those_of_the_first_version();
    test_slippage_is_that_of_the_first_version();
    test_heat_of_mining_is_that_of_the_first_version();
    test_cashing_out_first_costs_one_tick_in_classic();
    test_tables_have_the_frozen_sizes();
    test_ranges_out_of_order_are_refused_with_a_sentence();
    test_balanced_belts_are_connected_and_homes_are_near();
    test_skipped_asteroid_draws_equal_drawn_ones();
    test_classic_asteroids_follow_the_stream();
    test_the_price_cycle_does_not_drift();
    test_an_episode_depends_on_seed_and_actions_alone();
    test_random_play_keeps_every_invariant();
    test_unknown_ids_hold_and_cost_a_little();
    test_jettison_needs_cargo_in_balanced_only();
    test_lying_low_works_once_per_arrival();
    test_trips_need_fuel_and_no_way_out_is_stranded();
    test_stabilised_ticks_start_with_the_next_step_and_end_with_a_trip();
    test_splitting_a_sale_gains_nothing();
    test_deep_scans_teach_more_than_focused_and_wide_ones();
    test_holding_ore_earns_nothing_in_balanced();
    test_cash_out_needs_the_station_in_balanced();
    test_time_out_truncates_and_does_not_terminate();
    test_bots_answer_legally_and_repeatably();
    test_a_reason_is_given_exactly_where_the_mask_forbids();
    test_a_promised_sale_is_what_the_sale_brings();
    printf("prospector: %d false\n", failures);
    return failures ? 1 : 0;
}
