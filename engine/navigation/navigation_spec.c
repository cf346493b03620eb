// navigation_spec.c: what navigation says about itself: knobs into rules, names and sizes of every number that leaves
// the core, and the blocks that are read between steps (info, render, episode, events).
#include "../common/describe.h"
#include "navigation.h"

SL_HOST_TABLE SlKnob NAVIGATION_KNOB_TABLE[] = {
#define NAVIGATION_KNOB_ROW(name, kind, low, high, standard, comfort, unit, choices, text) \
    { #name, kind, low, high, { standard, comfort }, unit, choices, text },
    NAVIGATION_KNOBS(NAVIGATION_KNOB_ROW)
};

SL_HOST_TABLE char *const NAVIGATION_PROFILES[] = { (char *)"default", (char *)"comfort" };

SL_HOST_TABLE SlAction NAVIGATION_ACTIONS[] = {
    { "move_horizontal", "stick", "to the right of the head", "axis" },
    { "move_vertical", "stick", "ahead", "axis" },
    { "rotate", "turn", "share of max_rotation_speed, to the right", "axis" },
};

SL_HOST_TABLE SlTerm NAVIGATION_TERM_TABLE[] = {
    { "progress", "walker", "progress", "per metre nearer to the goal on the floor" },
    { "comfort", "walker", "comfort_bonus", "what discomfort takes away, at most the whole bonus" },
    { "goal", "walker", "goal_reached", "for reaching the goal" },
    { "collision", "walker", "collision_penalty", "cost of every collision" },
    { "fall", "walker", "fall_penalty", "cost of a fall" },
    { "timeout", "walker", "timeout_penalty", "cost of running out of time" },
};
SL_STATIC_ASSERT(sizeof NAVIGATION_TERM_TABLE / sizeof NAVIGATION_TERM_TABLE[0] == NAVIGATION_TERMS,
                 "a row a term, in the order of NavigationTerm");

// How a learner could abuse each term, and what stands against it.
SL_HOST_TABLE char *const NAVIGATION_TERM_PITFALLS[] = {
    (char *)"Pacing to and fro earns nothing: it telescopes to the start distance less the end distance. In a maze the straight "
            "line leads into dead ends, and costs no more there than it paid.",
    (char *)"Standing still is comfortable, and pays nothing: comfort can only be lost, and less than a tenth of the goal.",
    (char *)"Paid once; without it a walker close to the goal has little left to earn.",
    (char *)"Counted at the first contact after half a second without one, so that sliding along a wall is one collision.",
    (char *)"Below goal_reached: a leap of faith beside a pit may still be worth it.",
    (char *)"Less than a fall costs: a walker that is lost waits rather than jumps.",
};
SL_STATIC_ASSERT(sizeof NAVIGATION_TERM_PITFALLS / sizeof NAVIGATION_TERM_PITFALLS[0] == NAVIGATION_TERMS, "a sentence a term");

SL_HOST_TABLE SlEventKind NAVIGATION_EVENT_TABLE[] = {
    { "start", "distance", "an episode began so far from the goal" },
    { "collision", "x|z|count", "the body met a wall" },
    { "vignette", "intensity|acceleration", "the vignette became visible" },
    { "fall", "x|z", "the body stepped into a pit" },
    { "goal", "tick", "the goal was reached" },
    { "timeout", "tick", "time ran out" },
};
SL_STATIC_ASSERT(sizeof NAVIGATION_EVENT_TABLE / sizeof NAVIGATION_EVENT_TABLE[0] == NAVIGATION_EVENT_KINDS,
                 "a row a kind, in the order of NavigationEventKind");

#define NAVIGATION_ENDINGS "none|goal|fell|collisions|timeout"
#define NAVIGATION_TERM_NAMES "progress|comfort|goal|collision|fall|timeout"
#define NAVIGATION_SEEN 80              // metres and m/s; more than any entry of an observation can be

SL_HOST_TABLE SlField NAVIGATION_OBSERVATION_FIELDS[] = {
    { "camera_position", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m", "x|y|z", "" },
    { "camera_rotation", 1, 4, -1.001f, 1.001f, "", "x|y|z|w", "quaternion" },
    { "camera_velocity", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m/s", "x|y|z", "over one tick" },
    { "camera_angular_velocity", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "rad/s", "x|y|z", "over one tick" },
    { "rays", 1, NAVIGATION_RAYS, 0, NAVIGATION_RAY, "m", "", "free floor, in world axes: ray 0 along +X, then toward +Z" },
    { "left_controller_position", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m", "x|y|z", "" },
    { "right_controller_position", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m", "x|y|z", "" },
    { "left_controller_velocity", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m/s", "x|y|z", "over one tick" },
    { "right_controller_velocity", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m/s", "x|y|z", "over one tick" },
    { "goal_position", 1, 3, -NAVIGATION_SEEN, NAVIGATION_SEEN, "m", "x|y|z", "from where the body stands" },
    { "goal_distance", 1, 1, 0, NAVIGATION_SEEN, "m", "", "on the floor" },
    { "goal_direction", 1, 3, -1.001f, 1.001f, "", "x|y|z", "on the floor, a unit vector" },
    { "task", 1, NAVIGATION_TASKS, 0, 1, "", "open|course|maze", "1 for the layout of this episode" },     // with task_id alone
};

SL_HOST_TABLE SlField NAVIGATION_INFO_FIELDS[] = {
    { "tick", 1, 1, 0, 0, "", "", "ticks since the episode began" },
    { "steps", 1, 1, 0, 0, "", "", "decisions since it began" },
    { "time_elapsed", 1, 1, 0, 0, "s", "", "since it began" },
    { "time_left", 1, 1, 0, 0, "s", "", "until it is cut off" },
    { "ending", 1, 1, 0, 4, "", NAVIGATION_ENDINGS, "how it ended" },
    { "position", 1, 3, 0, 0, "m", "x|y|z", "where the body stands" },
    { "speed", 1, 1, 0, 0, "m/s", "", "on the floor" },
    { "distance", 1, 1, 0, 0, "m", "", "to the goal on the floor" },
    { "collisions", 1, 1, 0, 0, "", "", "so far" },
    { "comfort_score", 1, 1, 0, 1, "", "", "mean so far" },
    { "vignette", 1, 1, 0, 1, "", "", "intensity now" },
    { "falling", 1, 1, 0, 1, "", "", "1 in a pit" },
};

SL_HOST_TABLE SlField NAVIGATION_RENDER_FIELDS[] = {
    { "time_left", 1, 1, 0, 0, "s", "", "until the episode is cut off" },
    { "tick", 1, 1, 0, 0, "", "", "ticks since it began" },
    { "ending", 1, 1, 0, 4, "", NAVIGATION_ENDINGS, "how it ended" },
    { "position", 1, 3, 0, 0, "m", "x|y|z", "where the body stands" },
    { "head", 1, 3, 0, 0, "", "yaw|roll|height", "rad, rad, metres above the floor; yaw 0 looks to -Z, more is to the left" },
    { "velocity", 1, 2, 0, 0, "m/s", "x|z", "" },
    { "command", 1, 3, -1, 1, "", "move_horizontal|move_vertical|rotate", "after dead zone and smoothing" },
    { "left_hand", 1, 3, 0, 0, "m", "x|y|z", "" },
    { "right_hand", 1, 3, 0, 0, "m", "x|y|z", "" },
    { "goal", 1, 2, 0, 0, "m", "x|z", "" },
    { "goal_radius", 1, 1, 0, 0, "m", "", "" },
    { "player_radius", 1, 1, 0, 0, "m", "", "" },
    { "vignette", 1, 1, 0, 1, "", "", "intensity" },
    { "comfort_score", 1, 1, 0, 1, "", "", "mean so far" },
    { "collisions", 1, 1, 0, 0, "", "", "so far" },
    { "rays", 1, NAVIGATION_RAYS, 0, NAVIGATION_RAY, "m", "", "free floor in world axes" },
    { "grid", 1, 2, 0, 0, "", "cells|cell_size", "cells a side, metres a side of a cell; the grid is centred on the origin" },
    { "walls", NAVIGATION_GRID, 3, 0, 4096, "", "", "12 cells a number, the first the lowest bit; one row of the grid after the other" },
    { "holes", NAVIGATION_GRID, 3, 0, 4096, "", "", "pits, likewise" },
};

SL_HOST_TABLE SlField NAVIGATION_EPISODE_FIELDS[] = {
    { "return", 1, 1, 0, 0, "", "", "sum of rewards" },
    { "ending", 1, 1, 0, 4, "", NAVIGATION_ENDINGS, "how it ended" },
    { "success", 1, 1, 0, 1, "", "", "1 when the goal was reached" },
    { "comfort_score", 1, 1, 0, 1, "", "", "mean over the ticks" },
    { "vignette_share", 1, 1, 0, 1, "", "", "share of the time with a visible vignette" },
    { "vignette_mean", 1, 1, 0, 1, "", "", "intensity" },
    { "vignette_peak", 1, 1, 0, 1, "", "", "intensity" },
    { "hard_acceleration_share", 1, 1, 0, 1, "", "", "share of the ticks above 20 m/s2" },
    { "jerk_share", 1, 1, 0, 1, "", "", "share of the ticks above 100 m/s3" },
    { "snap_turns", 1, 1, 0, 0, "", "", "none where turning is smooth" },
    { "collisions", 1, 1, 0, 0, "", "", "" },
    { "start_distance", 1, 1, 0, 0, "m", "", "to the goal on the floor" },
    { "distance", 1, 1, 0, 0, "m", "", "at the end" },
    { "walked", 1, 1, 0, 0, "m", "", "" },
    { "steps", 1, 1, 0, 0, "", "", "length in decisions" },
    { "ticks", 1, 1, 0, 0, "", "", "length in ticks" },
    { "duration_s", 1, 1, 0, 0, "s", "", "length in simulated time" },
    { "terms", 1, NAVIGATION_TERMS, 0, 0, "", NAVIGATION_TERM_NAMES, "sum of each reward term" },
};

SL_HOST_TABLE SlMeaning NAVIGATION_MEANING[] = {
    { "return", "measure", "higher", 0, "" },
    { "ending", "code", "none", 0, "" },
    { "success", "flag", "higher", 1, "" },
    { "comfort_score", "measure", "higher", 0, "comfort" },
    { "vignette_share", "measure", "lower", 0, "comfort" },
    { "vignette_mean", "measure", "lower", 0, "comfort" },
    { "vignette_peak", "measure", "lower", 0, "comfort" },
    { "hard_acceleration_share", "measure", "lower", 0, "comfort" },
    { "jerk_share", "measure", "lower", 0, "comfort" },
    { "snap_turns", "measure", "none", 0, "comfort" },
    { "collisions", "measure", "lower", 0, "" },
    { "distance", "measure", "lower", 0, "" },
};

SL_HOST_TABLE SlDefaultBot NAVIGATION_DEFAULT_BOTS[] = { { "walker", "pathfollower" } };

// ---------------------------------------------------------------- knobs into rules

SL_HOST_FN float navigation_knob(const double *v, int knob) { return (float)v[knob]; }

SL_HOST_FN void navigation_configure_clock(NavigationRules *r, const double *v) {
    r->tick_rate = (int)v[NAVIGATION_KNOB_tick_rate];
    r->ticks_per_step = (int)v[NAVIGATION_KNOB_ticks_per_step];
    r->inv_dt = (float)r->tick_rate;
    r->dt = 1.0f / r->inv_dt;
    r->limit = (int)(navigation_knob(v, NAVIGATION_KNOB_time_limit) * r->inv_dt + 0.5f);
    r->apart_ticks = (int)(NAVIGATION_APART * r->inv_dt + 0.5f);
    r->fall = NAVIGATION_GRAVITY * r->dt;
    r->lean_blend = sl_min(NAVIGATION_LEAN * r->dt, 1.0f);
    r->vignette_blend = sl_min(NAVIGATION_VIGNETTE_RATE * r->dt, 1.0f);
}

SL_HOST_FN void navigation_configure_place(NavigationRules *r, const double *v) {
    r->layout = (int)v[NAVIGATION_KNOB_layout];
    r->task_id = (int)v[NAVIGATION_KNOB_task_id];
    r->edge = (int)v[NAVIGATION_KNOB_edge];
    r->max_goal = navigation_knob(v, NAVIGATION_KNOB_max_goal_distance);
    r->obstacles = navigation_knob(v, NAVIGATION_KNOB_obstacles);
    r->openness = navigation_knob(v, NAVIGATION_KNOB_openness);
    r->pits = navigation_knob(v, NAVIGATION_KNOB_pits);
    r->cells = (int)((2.0f * (r->max_goal + NAVIGATION_MARGIN)) / NAVIGATION_CELL) | 1;
    r->half = 0.5f * NAVIGATION_CELL * (float)r->cells;
}

// A decision leaves action_smoothing of the old command; a tick its share of that.
SL_HOST_FN void navigation_configure_body(NavigationRules *r, const double *v) {
    float smoothing = navigation_knob(v, NAVIGATION_KNOB_action_smoothing);
    float degrees = navigation_knob(v, NAVIGATION_KNOB_max_rotation_speed);
    r->speed = navigation_knob(v, NAVIGATION_KNOB_max_movement_speed);
    r->fast = NAVIGATION_FAST * r->speed;
    r->turn = (degrees / 360.0f) * SL_TAU;
    r->turn_dt = (degrees / 360.0f) * r->dt;
    r->snaps = (int)v[NAVIGATION_KNOB_turning];
    r->snap = navigation_knob(v, NAVIGATION_KNOB_snap_angle) / 360.0f;
    r->snap_threshold = navigation_knob(v, NAVIGATION_KNOB_snap_threshold);
    r->snap_ticks = (int)(navigation_knob(v, NAVIGATION_KNOB_snap_cooldown) * r->inv_dt + 0.5f);
    r->dead_zone = navigation_knob(v, NAVIGATION_KNOB_dead_zone);
    r->stretch = 1.0f / (1.0f - r->dead_zone);
    r->blend = smoothing > 0.0f ? 1.0f - sl_exp(sl_log(smoothing) / (float)r->ticks_per_step) : 1.0f;
    r->radius = navigation_knob(v, NAVIGATION_KNOB_player_radius);
    r->head_height = navigation_knob(v, NAVIGATION_KNOB_head_height);
    r->goal_radius = navigation_knob(v, NAVIGATION_KNOB_goal_radius);
    r->max_collisions = (int)v[NAVIGATION_KNOB_max_collisions];
}

// What each term can sum up to. Progress telescopes: the start distance less the end distance.
SL_HOST_FN void navigation_configure_rewards(NavigationRules *r, const double *v) {
    float *w = r->weight, snap = 3.0f * NAVIGATION_CELL;    // more than a start and a goal are moved to fit
    w[NAVIGATION_PROGRESS] = navigation_knob(v, NAVIGATION_KNOB_progress);
    w[NAVIGATION_COMFORT] = navigation_knob(v, NAVIGATION_KNOB_comfort_bonus);
    w[NAVIGATION_REACHED] = navigation_knob(v, NAVIGATION_KNOB_goal_reached);
    w[NAVIGATION_COLLIDED] = navigation_knob(v, NAVIGATION_KNOB_collision_penalty);
    w[NAVIGATION_FALLEN] = navigation_knob(v, NAVIGATION_KNOB_fall_penalty);
    w[NAVIGATION_LATE] = navigation_knob(v, NAVIGATION_KNOB_timeout_penalty);
    r->lose = navigation_knob(v, NAVIGATION_KNOB_discomfort) * r->dt;
    r->high[NAVIGATION_PROGRESS] = w[NAVIGATION_PROGRESS] * (r->max_goal + NAVIGATION_SPAWN + snap);
    r->low[NAVIGATION_PROGRESS] = -(w[NAVIGATION_PROGRESS] * 3.0f * r->half);
    r->low[NAVIGATION_COMFORT] = -w[NAVIGATION_COMFORT];
    r->high[NAVIGATION_REACHED] = w[NAVIGATION_REACHED];
    r->low[NAVIGATION_COLLIDED] = -(w[NAVIGATION_COLLIDED] * (float)r->max_collisions);
    r->low[NAVIGATION_FALLEN] = -w[NAVIGATION_FALLEN];
    r->low[NAVIGATION_LATE] = -w[NAVIGATION_LATE];
}

// ---------------------------------------------------------------- refusing what cannot work

SL_HOST_FN int navigation_check(const NavigationRules *r, const SlRefusal *refusal) {
    float goal = r->weight[NAVIGATION_REACHED], progress = r->high[NAVIGATION_PROGRESS];
    if (progress > 0.0f && progress >= goal)
        return sl_refuse(refusal, "progress could pay ", (double)progress,
                                 ", not less than goal_reached; lower it, raise goal_reached, or set allow_farming");
    if (10.0f * r->weight[NAVIGATION_COMFORT] > goal)
        return sl_refuse(refusal, "comfort_bonus must be at most a tenth of goal_reached, ", 0.1 * (double)goal,
                                 "; lower it, or set allow_farming");
    return 0;
}

SL_HOST_FN int navigation_configure(void *rules, const double *v, char *why, size_t room) {
    NavigationRules *r = (NavigationRules *)rules;
    sl_fill(r, 0, sizeof *r);
    navigation_configure_clock(r, v);
    navigation_configure_place(r, v);
    navigation_configure_body(r, v);
    navigation_configure_rewards(r, v);
    SlRefusal refusal = { why, room };
    return v[NAVIGATION_KNOB_allow_farming] != 0.0 ? 0 : navigation_check(r, &refusal);
}

// ---------------------------------------------------------------- describing

SL_HOST_FN int navigation_observed(const void *rules) {
    return SL_COUNT(NAVIGATION_OBSERVATION_FIELDS) - (((const NavigationRules *)rules)->task_id ? 0 : 1);
}

SL_HOST_FN void navigation_shape(const void *rules, SlShape *out) {
    out->agents = 1;
    out->observation = sl_fields_size(NAVIGATION_OBSERVATION_FIELDS, navigation_observed(rules));
    out->actions = 0;
    out->action_size = SL_COUNT(NAVIGATION_ACTIONS);
    out->masked = 0;
    out->info = sl_fields_size(NAVIGATION_INFO_FIELDS, SL_COUNT(NAVIGATION_INFO_FIELDS));
    out->render = sl_fields_size(NAVIGATION_RENDER_FIELDS, SL_COUNT(NAVIGATION_RENDER_FIELDS));
    out->episode = sl_fields_size(NAVIGATION_EPISODE_FIELDS, SL_COUNT(NAVIGATION_EPISODE_FIELDS));
}

SL_HOST_FN void navigation_describe(const void *rules, SlText *t) {
    const NavigationRules *r = (const NavigationRules *)rules;
    sl_describe_observation(t, NAVIGATION_OBSERVATION_FIELDS, navigation_observed(rules));
    sl_describe_actions(t, NAVIGATION_ACTIONS, SL_COUNT(NAVIGATION_ACTIONS));
    sl_key(t, "roles");
    sl_describe_list(t, "walker");
    sl_key(t, "agent_roles");
    sl_describe_list(t, "walker");
    sl_describe_bounded_terms(t, NAVIGATION_TERM_TABLE, NAVIGATION_TERM_PITFALLS, r->low, r->high, NAVIGATION_COMFORT + 1, NAVIGATION_TERMS);
    sl_describe_fields(t, "info", NAVIGATION_INFO_FIELDS, SL_COUNT(NAVIGATION_INFO_FIELDS));
    sl_describe_fields(t, "render", NAVIGATION_RENDER_FIELDS, SL_COUNT(NAVIGATION_RENDER_FIELDS));
    sl_describe_fields(t, "episode", NAVIGATION_EPISODE_FIELDS, SL_COUNT(NAVIGATION_EPISODE_FIELDS));
    sl_describe_events(t, NAVIGATION_EVENT_TABLE, SL_COUNT(NAVIGATION_EVENT_TABLE));
    sl_describe_meaning(t, NAVIGATION_MEANING, SL_COUNT(NAVIGATION_MEANING));
    sl_describe_default_bots(t, NAVIGATION_DEFAULT_BOTS, SL_COUNT(NAVIGATION_DEFAULT_BOTS));
}

// ---------------------------------------------------------------- reading a world

SL_FN float navigation_seconds(const NavigationRules *r, int ticks) { return (float)ticks / (float)r->tick_rate; }

// Of the ticks so far; 0 before the first.
SL_FN float navigation_mean(const NavigationWorld *w, float sum) { return w->tick > 0 ? sum / (float)w->tick : 0.0f; }

SL_FN float navigation_comfort(const NavigationWorld *w) { return w->tick > 0 ? navigation_mean(w, w->score_sum) : 1.0f; }

SL_FN float navigation_speed(const NavigationWorld *w) { return sl_sqrt(w->vx * w->vx + w->vz * w->vz); }

SL_FN float *navigation_put(float *out, const float *values, int count) {
    for (int i = 0; i < count; i++) *out++ = values[i];
    return out;
}

SL_FN void navigation_info(const void *rules, const void *world, float *out) {
    const NavigationRules *r = (const NavigationRules *)rules;
    const NavigationWorld *w = (const NavigationWorld *)world;
    const float values[] = {
        (float)w->tick, (float)w->steps, navigation_seconds(r, w->tick), navigation_seconds(r, r->limit - w->tick),
        (float)w->ending, w->pose.x, w->pose.y, w->pose.z, navigation_speed(w), w->distance, (float)w->collisions,
        navigation_comfort(w), w->vignette, (float)w->falling,
    };
    navigation_put(out, values, SL_COUNT(values));
}

SL_FN float *navigation_put_rows(float *out, const uint64_t *rows) {
    for (int j = 0; j < NAVIGATION_GRID; j++)
        for (int part = 0; part < 3; part++) *out++ = (float)(int)((rows[j] >> (12 * part)) & 4095u);
    return out;
}

SL_FN void navigation_render(const void *rules, const void *world, float *out) {
    const NavigationRules *r = (const NavigationRules *)rules;
    const NavigationWorld *w = (const NavigationWorld *)world;
    NavigationHands hands = navigation_hands(r, &w->pose);
    float rays[NAVIGATION_RAYS];
    const float body[] = {
        navigation_seconds(r, r->limit - w->tick), (float)w->tick, (float)w->ending, w->pose.x, w->pose.y, w->pose.z,
        w->pose.yaw * SL_TAU, w->pose.roll, r->head_height, w->vx, w->vz, w->strafe, w->ahead, w->rotate,
    };
    const float rest[] = { w->goal_x, w->goal_z, r->goal_radius, r->radius, w->vignette, navigation_comfort(w), (float)w->collisions };
    const float grid[] = { (float)r->cells, NAVIGATION_CELL };
    navigation_look_around(r, w, rays);
    out = navigation_put(out, body, SL_COUNT(body));
    out = navigation_put(out, hands.left, 3);
    out = navigation_put(out, hands.right, 3);
    out = navigation_put(out, rest, SL_COUNT(rest));
    out = navigation_put(out, rays, NAVIGATION_RAYS);
    out = navigation_put(out, grid, SL_COUNT(grid));
    out = navigation_put_rows(out, w->walls);
    navigation_put_rows(out, w->holes);
}

SL_FN void navigation_episode(const void *rules, const void *world, float *out) {
    const NavigationRules *r = (const NavigationRules *)rules;
    const NavigationWorld *w = (const NavigationWorld *)world;
    float total = 0.0f;
    for (int i = 0; i < NAVIGATION_TERMS; i++) total += w->sums[i];
    const float values[] = {
        total, (float)w->ending, w->ending == NAVIGATION_GOAL ? 1.0f : 0.0f, navigation_comfort(w),
        navigation_mean(w, (float)w->vignette_ticks), navigation_mean(w, w->vignette_sum), w->vignette_peak,
        navigation_mean(w, (float)w->hard_ticks), navigation_mean(w, (float)w->jolt_ticks), (float)w->snap_turns, (float)w->collisions,
        w->start_distance, w->distance, w->pose.walked, (float)w->steps, (float)w->tick, navigation_seconds(r, w->tick),
    };
    out = navigation_put(out, values, SL_COUNT(values));
    navigation_put(out, w->sums, NAVIGATION_TERMS);
}

SL_FN int navigation_events(const void *rules, const void *world, SlEvent *out, int room) {
    const NavigationWorld *w = (const NavigationWorld *)world;
    int count = sl_imin(w->event_count, room);
    (void)rules;
    for (int i = 0; i < count; i++) out[i] = w->events[i];
    return count;
}
