// landing_spec.c: what landing says about itself: knobs into rules, names and sizes of every number that leaves the
// core, and the blocks that are read between steps (info, render, episode, events).
#include "../common/describe.h"
#include "landing.h"

SL_HOST_TABLE SlKnob LANDING_KNOB_TABLE[] = {
#define LANDING_KNOB_ROW(name, kind, low, high, standard, disturbed, unit, text) \
    { #name, kind, low, high, { standard, disturbed }, unit, "", text },
    LANDING_KNOBS(LANDING_KNOB_ROW)
};

SL_HOST_TABLE char *const LANDING_PROFILES[] = { (char *)"default", (char *)"disturbed" };

SL_HOST_TABLE SlAction LANDING_ACTIONS[] = {
    { "thrust_x", "thrust", "along the craft's X axis", "axis" },
    { "thrust_y", "thrust", "along its nose; below 0 counts as 0", "axis" },
    { "thrust_z", "thrust", "along its Z axis; a thrust longer than 1 is cut to 1", "axis" },
    { "rcs_pitch", "rcs", "torque about X", "axis" },
    { "rcs_roll", "rcs", "torque about Z", "axis" },
};

SL_HOST_TABLE SlTerm LANDING_TERM_TABLE[] = {
    { "progress", "pilot", "progress", "per metre nearer to the pad" },
    { "centering", "pilot", "centering", "for nearness to the pad on the ground, 10 m / (10 m + distance)" },
    { "braking", "pilot", "braking", "for a velocity nearer to the wanted descent" },
    { "upright", "pilot", "upright", "for a craft that leans less" },
    { "fuel", "pilot", "fuel_cost", "cost of every kilogram burnt" },
    { "landing", "pilot", "soft_bonus", "for a soft landing; hard_bonus for a hard one" },
    { "pad", "pilot", "pad_bonus", "for landing on the pad" },
    { "crash", "pilot", "crash_penalty", "cost of a crash" },
    { "out_of_bounds", "pilot", "out_penalty", "cost of leaving the bounds" },
    { "timeout", "pilot", "timeout_penalty", "cost of running out of time" },
};
SL_STATIC_ASSERT(sizeof LANDING_TERM_TABLE / sizeof LANDING_TERM_TABLE[0] == LANDING_TERMS, "a row a term, in the order of LandingTerm");

// How a learner could abuse each term, and what stands against it.
SL_HOST_TABLE char *const LANDING_TERM_PITFALLS[] = {
    (char *)"Flying to and fro earns nothing: it telescopes to the start distance less the end distance. A crash on the pad "
            "earns it too, and loses crash_penalty.",
    (char *)"Paid for where the craft is, not for landing there: hovering over the pad earns it once and no more.",
    (char *)"Large enough, it teaches the descent that it describes and no faster one.",
    (char *)"Level is all it can pay; a craft that starts level can only lose it and earn it back.",
    (char *)"Too large, and falling is cheaper than braking: keep fuel_cost times the fuel far below crash_penalty.",
    (char *)"A hard landing is worth more than none: keep hard_bonus far below soft_bonus.",
    (char *)"Paid for a hard landing too, so that precision is learned before softness.",
    (char *)"Without it a fast fall onto the pad would pay its shaping.",
    (char *)"Less than crash_penalty, and a pilot in trouble would rather fly away.",
    (char *)"Less than crash_penalty: waiting is safer than crashing, and pays nothing.",
};
SL_STATIC_ASSERT(sizeof LANDING_TERM_PITFALLS / sizeof LANDING_TERM_PITFALLS[0] == LANDING_TERMS, "a sentence a term");

SL_HOST_TABLE SlEventKind LANDING_EVENT_TABLE[] = {
    { "start", "altitude|distance", "an episode began so high and so far from the pad" },
    { "low_fuel", "fuel|tick", "a tenth of the fuel is left" },
    { "empty", "tick", "the fuel is used up" },
    { "touchdown", "speed|tilt|distance", "the craft landed; m/s, degrees, metres from the pad" },
    { "crash", "speed|tilt|distance", "it hit the ground too fast or leaning" },
    { "out_of_bounds", "x|y|z", "it left the bounds here" },
    { "timeout", "tick", "time ran out" },
};
SL_STATIC_ASSERT(sizeof LANDING_EVENT_TABLE / sizeof LANDING_EVENT_TABLE[0] == LANDING_EVENT_KINDS,
                 "a row a kind, in the order of LandingEventKind");

#define LANDING_ENDINGS "none|soft_landing|hard_landing|crash|out_of_bounds|timeout"
#define LANDING_TERM_NAMES "progress|centering|braking|upright|fuel|landing|pad|crash|out_of_bounds|timeout"

SL_HOST_TABLE SlField LANDING_OBSERVATION_FIELDS[] = {
    { "altitude", 1, 1, -0.1f, 5, "", "", "above the pad / 1000 m" },
    { "velocity", 1, 3, -LANDING_SEEN_SPEED, LANDING_SEEN_SPEED, "", "x|y|z", "/ 50 m/s" },
    { "spin", 1, 3, -LANDING_SEEN_SPIN, LANDING_SEEN_SPIN, "rad/s", "x|y|z", "angular velocity in world axes" },
    { "pitch", 1, 1, -1, 1, "", "", "rotation about X / pi" },
    { "roll", 1, 1, -1, 1, "", "", "rotation about Z / pi" },
    { "to_pad", 1, 3, -1.001f, 1.001f, "", "x|y|z", "direction to the pad, a unit vector" },
    { "pad_distance", 1, 1, 0, 6, "", "", "to the pad / 1000 m" },
    { "terrain_distance", 1, 1, 0, 10, "", "", "down to the terrain / 100 m; 10 when it is more than 100 m" },
};

SL_HOST_TABLE SlField LANDING_INFO_FIELDS[] = {
    { "tick", 1, 1, 0, 0, "", "", "ticks since the episode began" },
    { "steps", 1, 1, 0, 0, "", "", "decisions since it began" },
    { "time_elapsed", 1, 1, 0, 0, "s", "", "since it began" },
    { "time_left", 1, 1, 0, 0, "s", "", "until it is cut off" },
    { "ending", 1, 1, 0, 5, "", LANDING_ENDINGS, "how it ended" },
    { "position", 1, 3, 0, 0, "m", "x|y|z", "of the centre of mass; the pad is the origin" },
    { "velocity", 1, 3, 0, 0, "m/s", "x|y|z", "" },
    { "speed", 1, 1, 0, 0, "m/s", "", "" },
    { "tilt", 1, 1, 0, 180, "deg", "", "from upright" },
    { "distance_to_pad", 1, 1, 0, 0, "m", "", "on the ground" },
    { "terrain_below", 1, 1, 0, 0, "m", "", "centre of mass above the terrain" },
    { "fuel", 1, 1, 0, 0, "kg", "", "left" },
    { "mass", 1, 1, 0, 0, "kg", "", "with that fuel" },
};

SL_HOST_TABLE SlField LANDING_RENDER_FIELDS[] = {
    { "time_left", 1, 1, 0, 0, "s", "", "until the episode is cut off" },
    { "tick", 1, 1, 0, 0, "", "", "ticks since it began" },
    { "ending", 1, 1, 0, 5, "", LANDING_ENDINGS, "how it ended" },
    { "position", 1, 3, 0, 0, "m", "x|y|z", "of the centre of mass; the pad is the origin" },
    { "velocity", 1, 3, 0, 0, "m/s", "x|y|z", "" },
    { "attitude", 1, 2, 0, 0, "rad", "pitch|roll", "rotation about X after rotation about Z" },
    { "spin", 1, 2, 0, 0, "rad/s", "pitch|roll", "rates of the two angles" },
    { "thrust", 1, 3, 0, 0, "", "x|y|z", "share of max_thrust in the frame of the craft" },
    { "rcs", 1, 2, 0, 0, "", "pitch|roll", "share of rcs_torque" },
    { "fuel_left", 1, 1, 0, 1, "", "", "share of the fuel" },
    { "legs", 1, 2, 0, 0, "m", "length|spread", "plane of the feet below the centre of mass; feet from the middle" },
    { "pad_radius", 1, 1, 0, 0, "m", "", "" },
    { "limits", 1, 2, 0, 0, "m", "bounds|ceiling", "farthest in X and Z, highest" },
    { "terrain", 1, 6, 0, 0, "", "height|wavelength|phase_x|phase_z|flat|rise", "see docs/games/landing.md: height of the terrain" },
};

SL_HOST_TABLE SlField LANDING_EPISODE_FIELDS[] = {
    { "return", 1, 1, 0, 0, "", "", "sum of rewards" },
    { "ending", 1, 1, 0, 5, "", LANDING_ENDINGS, "how it ended" },
    { "success", 1, 1, 0, 1, "", "", "1 for a soft landing on the pad" },
    { "soft_landing", 1, 1, 0, 1, "", "", "1 for a soft landing, on the pad or not" },
    { "distance_to_pad", 1, 1, 0, 0, "m", "", "on the ground, at the end" },
    { "touchdown_speed", 1, 1, 0, 0, "m/s", "", "at the end" },
    { "touchdown_tilt", 1, 1, 0, 180, "deg", "", "from upright, at the end" },
    { "fuel_used", 1, 1, 0, 0, "kg", "", "" },
    { "fuel_efficiency", 1, 1, 0, 1, "", "", "fuel of a vertical fall and one full burn / fuel used; 0 without a soft landing" },
    { "steps", 1, 1, 0, 0, "", "", "length in decisions" },
    { "ticks", 1, 1, 0, 0, "", "", "length in ticks" },
    { "duration_s", 1, 1, 0, 0, "s", "", "length in simulated time" },
    { "terms", 1, LANDING_TERMS, 0, 0, "", LANDING_TERM_NAMES, "sum of each reward term" },
};

SL_HOST_TABLE SlMeaning LANDING_MEANING[] = {
    { "return", "measure", "higher", 0, "" },
    { "ending", "code", "none", 0, "" },
    { "success", "flag", "higher", 1, "" },
    { "soft_landing", "flag", "higher", 0, "" },
    { "distance_to_pad", "measure", "lower", 0, "" },
    { "touchdown_speed", "measure", "lower", 0, "" },
    { "touchdown_tilt", "measure", "lower", 0, "" },
    { "fuel_used", "measure", "lower", 0, "" },
    { "fuel_efficiency", "measure", "higher", 0, "" },
};

SL_HOST_TABLE SlDefaultBot LANDING_DEFAULT_BOTS[] = { { "pilot", "autopilot" } };

// ---------------------------------------------------------------- knobs into rules

SL_HOST_FN float landing_knob(const double *v, int knob) { return (float)v[knob]; }

SL_HOST_FN void landing_configure_clock(LandingRules *r, const double *v) {
    r->tick_rate = (int)v[LANDING_KNOB_tick_rate];
    r->ticks_per_step = (int)v[LANDING_KNOB_ticks_per_step];
    r->dt = 1.0f / (float)r->tick_rate;
    r->half_dt = 0.5f * r->dt;
    r->turn_dt = r->dt / SL_TAU;
    r->limit = (int)(landing_knob(v, LANDING_KNOB_time_limit) * (float)r->tick_rate + 0.5f);
}

SL_HOST_FN void landing_configure_start(LandingRules *r, const double *v) {
    r->altitude_min = landing_knob(v, LANDING_KNOB_altitude_min);
    r->altitude_max = landing_knob(v, LANDING_KNOB_altitude_max);
    r->start_offset = landing_knob(v, LANDING_KNOB_start_offset);
    r->start_speed = landing_knob(v, LANDING_KNOB_start_speed);
    r->start_fall = landing_knob(v, LANDING_KNOB_start_fall);
    r->start_tilt = landing_knob(v, LANDING_KNOB_start_tilt) / 360.0f;
    r->start_spin = landing_knob(v, LANDING_KNOB_start_spin);
}

SL_HOST_FN void landing_configure_craft(LandingRules *r, const double *v) {
    float gyration = landing_knob(v, LANDING_KNOB_gyration);
    r->gravity = landing_knob(v, LANDING_KNOB_gravity);
    r->fall = r->gravity * r->dt;
    r->dry_mass = landing_knob(v, LANDING_KNOB_dry_mass);
    r->fuel = landing_knob(v, LANDING_KNOB_fuel);
    r->start_mass = r->dry_mass + r->fuel;
    r->max_thrust = landing_knob(v, LANDING_KNOB_max_thrust);
    r->flow = r->max_thrust / landing_knob(v, LANDING_KNOB_exhaust_speed);
    r->burn = r->flow * r->dt;
    r->torque_dt = (landing_knob(v, LANDING_KNOB_rcs_torque) * r->dt) / (gyration * gyration);
    r->keep_spin = 1.0f / (1.0f + landing_knob(v, LANDING_KNOB_spin_damping) * r->dt);
    r->leg_length = landing_knob(v, LANDING_KNOB_leg_length);
    r->leg_spread = landing_knob(v, LANDING_KNOB_leg_spread);
    r->reach = (r->leg_length + 1.5f * r->leg_spread) + 0.1f;
    r->glide = landing_knob(v, LANDING_KNOB_descent) * (r->max_thrust / r->start_mass - r->gravity);
}

SL_HOST_FN void landing_configure_place(LandingRules *r, const double *v) {
    r->terrain_height = landing_knob(v, LANDING_KNOB_terrain_height);
    r->half_height = 0.5f * r->terrain_height;
    r->wave = 1.0f / landing_knob(v, LANDING_KNOB_terrain_wavelength);
    r->pad_radius = landing_knob(v, LANDING_KNOB_pad_radius);
    r->soft_speed = landing_knob(v, LANDING_KNOB_soft_speed);
    r->hard_speed = landing_knob(v, LANDING_KNOB_hard_speed);
    r->upright_cos = sl_cos_turns(landing_knob(v, LANDING_KNOB_max_tilt) / 360.0f);
    r->bounds = landing_knob(v, LANDING_KNOB_bounds);
    r->ceiling = landing_knob(v, LANDING_KNOB_ceiling);
}

// What each term can sum up to. Potentials telescope: the start's less the end's, whatever happens between.
SL_HOST_FN void landing_configure_bounds(LandingRules *r) {
    const float *w = r->weight;
    float high = r->ceiling + LANDING_OVERSHOOT, wide = r->bounds + LANDING_OVERSHOOT;
    float start = sl_sqrt(2.0f * r->start_offset * r->start_offset + r->altitude_max * r->altitude_max);
    float end = sl_sqrt(2.0f * wide * wide + high * high);
    r->low[LANDING_PROGRESS] = -(w[LANDING_PROGRESS] * end);
    r->high[LANDING_PROGRESS] = w[LANDING_PROGRESS] * start;
    for (int i = LANDING_CENTERING; i <= LANDING_UPRIGHT; i++) {
        r->low[i] = -w[i];
        r->high[i] = w[i];
    }
    r->low[LANDING_FUEL] = -(w[LANDING_FUEL] * r->fuel);
    r->high[LANDING_LANDED] = sl_max(w[LANDING_LANDED], r->hard_bonus);
    r->high[LANDING_PAD] = w[LANDING_PAD];
    for (int i = LANDING_CRASHED; i <= LANDING_LATE; i++) r->low[i] = -w[i];
}

SL_HOST_FN void landing_configure_rewards(LandingRules *r, const double *v) {
    float *w = r->weight;
    w[LANDING_PROGRESS] = landing_knob(v, LANDING_KNOB_progress);
    w[LANDING_CENTERING] = landing_knob(v, LANDING_KNOB_centering);
    w[LANDING_BRAKING] = landing_knob(v, LANDING_KNOB_braking);
    w[LANDING_UPRIGHT] = landing_knob(v, LANDING_KNOB_upright);
    w[LANDING_FUEL] = landing_knob(v, LANDING_KNOB_fuel_cost);
    w[LANDING_LANDED] = landing_knob(v, LANDING_KNOB_soft_bonus);
    w[LANDING_PAD] = landing_knob(v, LANDING_KNOB_pad_bonus);
    w[LANDING_CRASHED] = landing_knob(v, LANDING_KNOB_crash_penalty);
    w[LANDING_LEFT] = landing_knob(v, LANDING_KNOB_out_penalty);
    w[LANDING_LATE] = landing_knob(v, LANDING_KNOB_timeout_penalty);
    r->hard_bonus = landing_knob(v, LANDING_KNOB_hard_bonus);
    landing_configure_bounds(r);
}

// ---------------------------------------------------------------- refusing what cannot work

SL_HOST_FN int landing_check_craft(const LandingRules *r, const SlRefusal *refusal) {
    double weight = LANDING_HOVER * (double)r->start_mass * (double)r->gravity;
    if ((double)r->max_thrust < weight)
        return sl_refuse(refusal, "the fuelled craft cannot hover; set max_thrust to at least ", weight,
                              " N, or lower gravity, dry_mass or fuel");
    if (r->soft_speed > r->hard_speed)
        return sl_refuse(refusal, "soft_speed must be at most hard_speed, ", (double)r->hard_speed, " m/s");
    return 0;
}

SL_HOST_FN int landing_check_place(const LandingRules *r, const SlRefusal *refusal) {
    double least = (double)(r->terrain_height + r->reach) + 1.0;
    if (r->altitude_min > r->altitude_max)
        return sl_refuse(refusal, "altitude_min must be at most altitude_max, ", (double)r->altitude_max, " m");
    if ((double)r->altitude_min < least)
        return sl_refuse(refusal, "a craft could start in a hill; set altitude_min to at least ", least, " m");
    if (r->ceiling < r->altitude_max)
        return sl_refuse(refusal, "ceiling must be at least altitude_max, ", (double)r->altitude_max, " m");
    if (r->bounds < r->start_offset)
        return sl_refuse(refusal, "bounds must be at least start_offset, ", (double)r->start_offset, " m");
    return 0;
}

SL_HOST_FN int landing_check_rewards(const LandingRules *r, const SlRefusal *refusal) {
    float sum = 0.0f;
    for (int i = 0; i < LANDING_POTENTIALS; i++) sum += r->high[i];
    if (sum == 0.0f || sum < r->weight[LANDING_LANDED]) return 0;
    return sl_refuse(refusal, "progress, centering, braking and upright together could pay ", (double)sum,
                          ", not less than soft_bonus; lower them, raise soft_bonus, or set allow_farming");
}

SL_HOST_FN int landing_configure(void *rules, const double *v, char *why, size_t room) {
    LandingRules *r = (LandingRules *)rules;
    SlRefusal refusal = { why, room };
    sl_fill(r, 0, sizeof *r);
    landing_configure_clock(r, v);
    landing_configure_start(r, v);
    landing_configure_craft(r, v);
    landing_configure_place(r, v);
    landing_configure_rewards(r, v);
    if (landing_check_craft(r, &refusal) || landing_check_place(r, &refusal)) return -1;
    return v[LANDING_KNOB_allow_farming] != 0.0 ? 0 : landing_check_rewards(r, &refusal);
}

// ---------------------------------------------------------------- describing

SL_HOST_FN void landing_shape(const void *rules, SlShape *out) {
    (void)rules;
    out->agents = 1;
    out->observation = sl_fields_size(LANDING_OBSERVATION_FIELDS, SL_COUNT(LANDING_OBSERVATION_FIELDS));
    out->actions = 0;
    out->action_size = SL_COUNT(LANDING_ACTIONS);
    out->masked = 0;
    out->info = sl_fields_size(LANDING_INFO_FIELDS, SL_COUNT(LANDING_INFO_FIELDS));
    out->render = sl_fields_size(LANDING_RENDER_FIELDS, SL_COUNT(LANDING_RENDER_FIELDS));
    out->episode = sl_fields_size(LANDING_EPISODE_FIELDS, SL_COUNT(LANDING_EPISODE_FIELDS));
}

SL_HOST_FN void landing_describe(const void *rules, SlText *t) {
    const LandingRules *r = (const LandingRules *)rules;
    sl_describe_observation(t, LANDING_OBSERVATION_FIELDS, SL_COUNT(LANDING_OBSERVATION_FIELDS));
    sl_describe_actions(t, LANDING_ACTIONS, SL_COUNT(LANDING_ACTIONS));
    sl_key(t, "roles");
    sl_describe_list(t, "pilot");
    sl_key(t, "agent_roles");
    sl_describe_list(t, "pilot");
    sl_describe_bounded_terms(t, LANDING_TERM_TABLE, LANDING_TERM_PITFALLS, r->low, r->high, LANDING_POTENTIALS, LANDING_TERMS);
    sl_describe_fields(t, "info", LANDING_INFO_FIELDS, SL_COUNT(LANDING_INFO_FIELDS));
    sl_describe_fields(t, "render", LANDING_RENDER_FIELDS, SL_COUNT(LANDING_RENDER_FIELDS));
    sl_describe_fields(t, "episode", LANDING_EPISODE_FIELDS, SL_COUNT(LANDING_EPISODE_FIELDS));
    sl_describe_meaning(t, LANDING_MEANING, SL_COUNT(LANDING_MEANING));
    sl_describe_default_bots(t, LANDING_DEFAULT_BOTS, SL_COUNT(LANDING_DEFAULT_BOTS));
    sl_describe_events(t, LANDING_EVENT_TABLE, SL_COUNT(LANDING_EVENT_TABLE));
}

// ---------------------------------------------------------------- reading a world

SL_FN float landing_seconds(const LandingRules *r, int ticks) { return (float)ticks / (float)r->tick_rate; }

SL_FN float *landing_put(float *out, const float *values, int count) {
    for (int i = 0; i < count; i++) *out++ = values[i];
    return out;
}

SL_FN void landing_info(const void *rules, const void *world, float *out) {
    const LandingRules *r = (const LandingRules *)rules;
    const LandingWorld *w = (const LandingWorld *)world;
    const float values[] = {
        (float)w->tick, (float)w->steps, landing_seconds(r, w->tick), landing_seconds(r, r->limit - w->tick), (float)w->ending,
        w->x, w->y, w->z, w->vx, w->vy, w->vz, landing_speed(w), landing_degrees(landing_tilt_cos(w)), landing_pad_distance(w),
        w->y - landing_terrain(r, w, w->x, w->z), w->fuel, r->dry_mass + w->fuel,
    };
    landing_put(out, values, SL_COUNT(values));
}

SL_FN void landing_render(const void *rules, const void *world, float *out) {
    const LandingRules *r = (const LandingRules *)rules;
    const LandingWorld *w = (const LandingWorld *)world;
    const float values[] = {
        landing_seconds(r, r->limit - w->tick), (float)w->tick, (float)w->ending,
        w->x, w->y, w->z, w->vx, w->vy, w->vz, w->pitch * SL_TAU, w->roll * SL_TAU, w->pitch_rate, w->roll_rate,
        w->thrust_x, w->thrust_y, w->thrust_z, w->rcs_pitch, w->rcs_roll, w->fuel / r->fuel,
        r->leg_length, r->leg_spread, r->pad_radius, r->bounds, r->ceiling,
        r->terrain_height, 1.0f / r->wave, w->phase_x, w->phase_z, LANDING_FLAT, LANDING_RISE,
    };
    landing_put(out, values, SL_COUNT(values));
}

SL_FN float landing_efficiency(const LandingRules *r, const LandingWorld *w) {
    float used = r->fuel - w->fuel;
    if (w->ending != LANDING_SOFT) return 0.0f;
    return used > w->ideal_fuel ? w->ideal_fuel / used : 1.0f;
}

SL_FN void landing_episode(const void *rules, const void *world, float *out) {
    const LandingRules *r = (const LandingRules *)rules;
    const LandingWorld *w = (const LandingWorld *)world;
    float total = 0.0f;
    for (int i = 0; i < LANDING_TERMS; i++) total += w->sums[i];
    const float values[] = {
        total, (float)w->ending, w->ending == LANDING_SOFT && landing_on_pad(r, w) ? 1.0f : 0.0f,
        w->ending == LANDING_SOFT ? 1.0f : 0.0f, landing_pad_distance(w), landing_speed(w), landing_degrees(landing_tilt_cos(w)),
        r->fuel - w->fuel, landing_efficiency(r, w), (float)w->steps, (float)w->tick, landing_seconds(r, w->tick),
    };
    out = landing_put(out, values, SL_COUNT(values));
    landing_put(out, w->sums, LANDING_TERMS);
}

SL_FN int landing_events(const void *rules, const void *world, SlEvent *out, int room) {
    const LandingWorld *w = (const LandingWorld *)world;
    int count = sl_imin(w->event_count, room);
    (void)rules;
    for (int i = 0; i < count; i++) out[i] = w->events[i];
    return count;
}
