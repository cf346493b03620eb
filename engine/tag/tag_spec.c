// tag_spec.c: what tag says about itself: knobs into rules, names and sizes of every number that leaves
// the core, and the blocks that are read between steps (info, render, episode, events).
#include "../common/describe.h"
#include "tag.h"

SL_HOST_TABLE SlKnob TAG_KNOB_TABLE[] = {
#define TAG_KNOB_ROW(name, kind, low, high, standard, reference, unit, choices, text) \
    { #name, kind, low, high, { standard, reference }, unit, choices, text },
    TAG_KNOBS(TAG_KNOB_ROW)
};

SL_HOST_TABLE char *const TAG_PROFILES[] = { (char *)"default", (char *)"reference" };

SL_HOST_TABLE SlAction TAG_ACTIONS[] = {
    { "move_x", "move", "to the right of the eyes", "axis" },
    { "move_z", "move", "backward, away from where the eyes look", "axis" },
    { "jump", "jump", "above 0.5 asks for a jump", "button" },
    { "turn", "turn", "share of turn_rate, to the right", "axis" },
};

SL_HOST_TABLE SlTerm TAG_TERM_TABLE[] = {
    { "seeker_progress", "seeker", "seeker_progress", "per metre closed to the nearest hider" },
    { "seeker_time", "seeker", "seeker_time", "cost of every second" },
    { "seeker_tag", "seeker", "tag_bonus", "for a touch; pass_bonus in switch" },
    { "seeker_timeout", "seeker", "seeker_timeout", "cost of running out of time" },
    { "hider_progress", "hider", "hider_progress", "per metre opened to the nearest seeker" },
    { "hider_survival", "hider", "hider_survival", "for every second in play" },
    { "hider_tagged", "hider", "tagged_penalty", "cost of being touched; pass_bonus in switch" },
    { "hider_timeout", "hider", "hider_timeout", "for being in play when time runs out" },
};
SL_STATIC_ASSERT(sizeof TAG_TERM_TABLE / sizeof TAG_TERM_TABLE[0] == TAG_TERMS, "a row a term, in the order of TagTerm");

// How a learner could abuse each term, and what stands against it.
SL_HOST_TABLE char *const TAG_TERM_PITFALLS[] = {
    (char *)"Dancing to and fro earns nothing: it telescopes to start distance less end distance. Circling a hider "
            "that cannot be reached pays nothing either, but costs no more than seeker_time.",
    (char *)"Too large, and a seeker far from any hider prefers whatever ends the match; it can only wait, so it is "
            "harmless in timed.",
    (char *)"Paid per touch, so with several hiders the quick ones to find are worth as much as the hard ones. In switch "
            "two friends could pass the role to and fro: immunity_s bounds how often.",
    (char *)"Together with seeker_tag it is what winning is worth; without it a seeker that gives up early loses little.",
    (char *)"Pays for running even when unseen; a hider that hides well and stays put earns less than one that flees. "
            "Lower it to train hiding.",
    (char *)"Must stay below hider_timeout over a match, or lasting a while is as good as lasting to the end.",
    (char *)"A hider that is surely caught has nothing more to lose; keep hider_survival above 0 so that later is "
            "better than sooner.",
    (char *)"Only who is still in play is paid: with several hiders nobody earns by leaving the others to the seeker.",
};
SL_STATIC_ASSERT(sizeof TAG_TERM_PITFALLS / sizeof TAG_TERM_PITFALLS[0] == TAG_TERMS, "a sentence a term");

SL_HOST_TABLE SlMeaning TAG_MEANING[] = {
    { "winner", "outcome", "none", 0, "" },
    { "reason", "code", "none", 0, "" },
};

SL_HOST_TABLE SlOutcome TAG_OUTCOMES[] = {
    { "seeker", "winner", "seeker", "win" }, { "seeker", "winner", "hider", "loss" }, { "seeker", "winner", "nobody", "draw" },
    { "hider", "winner", "hider", "win" }, { "hider", "winner", "seeker", "loss" }, { "hider", "winner", "nobody", "draw" },
};

SL_HOST_TABLE SlDefaultBot TAG_DEFAULT_BOTS[] = { { "seeker", "chase" }, { "hider", "evade" } };

SL_HOST_TABLE SlRoleStyle TAG_ROLE_STYLES[] = {
    { "seeker", "#d1495b", "#ff5c54", "Best chase", "tagged after" },
    { "hider", "#2b6cb0", "#5c96ff", "Best escape", "escaped for" },
};

SL_HOST_TABLE SlEventKind TAG_EVENT_TABLE[] = {
    { "start", "agents|boxes", "a match began" },
    { "tag", "attacker|target|tick", "a hider was touched and is out" },
    { "pass", "attacker|target|tick", "the role went from attacker to target" },
    { "timeout", "tick", "time ran out" },
    { "jump", "agent", "an agent left the floor by itself" },
    { "land", "agent|speed", "an agent came down at this many m/s" },
    { "sight", "agent|target|tick", "a target came into an agent's view" },
};
SL_STATIC_ASSERT(sizeof TAG_EVENT_TABLE / sizeof TAG_EVENT_TABLE[0] == TAG_EVENT_KINDS,
                 "a row a kind, in the order of TagEventKind");

// ---------------------------------------------------------------- knobs into rules

SL_HOST_FN int tag_ticks(float seconds, int tick_rate) { return (int)(seconds * (float)tick_rate + 0.5f); }

SL_HOST_FN void tag_configure_clock(TagRules *r, const double *v) {
    r->tick_rate = (int)v[TAG_KNOB_tick_rate];
    r->ticks_per_step = (int)v[TAG_KNOB_ticks_per_step];
    r->dt = 1.0f / (float)r->tick_rate;
    r->half_dt = 0.5f * r->dt;
    r->step_s = (float)r->ticks_per_step * r->dt;
    r->limit = tag_ticks((float)v[TAG_KNOB_time_limit], r->tick_rate);
    r->immune_ticks = tag_ticks((float)v[TAG_KNOB_immunity_s], r->tick_rate);
    r->coyote_ticks = tag_ticks((float)v[TAG_KNOB_coyote_s], r->tick_rate);
    r->head_start_ticks = tag_ticks((float)v[TAG_KNOB_head_start_s], r->tick_rate);
}

SL_HOST_FN void tag_configure_motion(TagRules *r, const double *v) {
    float top_speed = (float)v[TAG_KNOB_top_speed];
    r->accelerate = (float)v[TAG_KNOB_acceleration] * r->dt;
    r->brake = (float)v[TAG_KNOB_deceleration] * r->dt;
    r->fall = (float)v[TAG_KNOB_gravity] * r->dt;
    r->jump_speed = (float)v[TAG_KNOB_jump_speed];
    r->speed[TAG_SEEKER] = top_speed * (float)v[TAG_KNOB_seeker_speed];
    r->speed[TAG_HIDER] = top_speed * (float)v[TAG_KNOB_hider_speed];
    r->max_speed = sl_max(r->speed[TAG_SEEKER], r->speed[TAG_HIDER]);
    r->turn = ((float)v[TAG_KNOB_turn_rate] * r->dt) / 360.0f;
    r->turn_cos = sl_cos_turns(r->turn);
    r->turn_sin = sl_sin_turns(r->turn);
    // a centimetre more than the sum of rounded moves can ever be
    r->travel = r->max_speed * (float)r->ticks_per_step * r->dt + 0.01f;
}

SL_HOST_FN void tag_configure_arena(TagRules *r, const double *v) {
    r->arena_half = (float)v[TAG_KNOB_arena_half];
    r->wall_height = (float)v[TAG_KNOB_wall_height];
    r->edge = (float)v[TAG_KNOB_body_edge];
    r->half = 0.5f * r->edge;
    r->wall = r->arena_half - (r->half + TAG_SKIN);
    r->grow = r->half + TAG_HALF_SKIN;
    r->beside = r->edge + TAG_HALF_SKIN;
    r->apart = r->edge + TAG_SKIN;
    r->over = r->edge - TAG_HALF_SKIN;
    r->touch = r->edge + (float)v[TAG_KNOB_reach];
    r->obstacles = (int)v[TAG_KNOB_obstacles];
    r->low_share = (float)v[TAG_KNOB_low_share];
    r->gap = TAG_GAP_EDGES * r->edge;
    r->separation = (float)v[TAG_KNOB_spawn_separation];
    r->spawn_half = r->arena_half - (float)v[TAG_KNOB_spawn_margin];
    if (!(r->spawn_half > 0.0f)) r->spawn_half = 0.0f;
    r->cells = sl_imin((int)((2.0f * r->spawn_half) / (r->separation * 1.0001f)) + 1, TAG_LATTICE);
    r->spacing = r->cells > 1 ? (2.0f * r->spawn_half) / (float)(r->cells - 1) : 0.0f;
}

SL_HOST_FN void tag_configure_sight(TagRules *r, const double *v) {
    float view = (float)v[TAG_KNOB_field_of_view];
    r->vision_range = (float)v[TAG_KNOB_vision_range];
    r->inv_arena = 1.0f / r->arena_half;
    r->inv_speed = 1.0f / r->max_speed;
    r->inv_range = 1.0f / r->vision_range;
    r->inv_limit = 1.0f / (float)r->limit;
    r->inv_immune = r->immune_ticks > 0 ? 1.0f / (float)r->immune_ticks : 0.0f;
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        float share = (float)sl_imin(i, TAG_RAYS - 1) / (float)(TAG_RAYS - 1);
        float turns = (view * (share - 0.5f)) / 360.0f;
        r->ray_cos[i] = sl_cos_turns(turns);
        r->ray_sin[i] = sl_sin_turns(turns);
    }
}

// The largest distance two bodies can have: opposite corners, one standing on everything there is.
SL_HOST_FN float tag_longest_distance(const TagRules *r) {
    float apex = r->jump_speed * r->jump_speed / (2.0f * r->fall * (float)r->tick_rate);
    float height = TAG_TALL_MAX + (float)(r->agents - 1) * r->edge + apex, side = 2.0f * r->wall;
    return sl_sqrt(2.0f * side * side + height * height);
}

SL_HOST_FN void tag_configure_rewards(TagRules *r, const double *v) {
    int passing = r->mode == TAG_SWITCH;
    float seconds = (float)r->limit * r->dt, longest = tag_longest_distance(r);
    r->seeker_progress = (float)v[TAG_KNOB_seeker_progress];
    r->seeker_time = (float)v[TAG_KNOB_seeker_time];
    r->tag_bonus = (float)v[passing ? TAG_KNOB_pass_bonus : TAG_KNOB_tag_bonus];
    r->seeker_timeout = (float)v[TAG_KNOB_seeker_timeout];
    r->hider_progress = (float)v[TAG_KNOB_hider_progress];
    r->hider_survival = (float)v[TAG_KNOB_hider_survival];
    r->tagged_penalty = (float)v[passing ? TAG_KNOB_pass_bonus : TAG_KNOB_tagged_penalty];
    r->hider_timeout = (float)v[TAG_KNOB_hider_timeout];
    r->worst[TAG_SEEKER_PROGRESS] = r->seeker_progress * longest;
    r->worst[TAG_SEEKER_TIME] = r->seeker_time * seconds;
    r->worst[TAG_HIDER_PROGRESS] = r->hider_progress * longest;
    r->worst[TAG_HIDER_SURVIVAL] = r->hider_survival * seconds;
}

// ---------------------------------------------------------------- refusing what cannot work

// Down to a hundredth, so that what the sentence proposes works.
SL_HOST_FN double tag_hundredths_below(double x) { return x <= 0.01 ? 0.0 : (double)(int)(x * 100.0) / 100.0; }

SL_HOST_FN double tag_largest_separation(const TagRules *r) {
    int side = 1;
    while (side * side < r->agents) side++;
    return tag_hundredths_below(2.0 * (double)r->spawn_half / (double)(side - 1) / 1.0002);
}

SL_HOST_FN int tag_check_places(const TagRules *r, const SlRefusal *refusal) {
    double least = 1.4143 * (double)r->touch;
    if (r->spawn_half + r->half + TAG_SKIN > r->arena_half)
        return sl_refuse(refusal, "spawn_margin lets a body start inside a wall; use more than ",
                          (double)(r->half + TAG_SKIN), " m");
    if ((double)r->separation <= least)
        return sl_refuse(refusal, "spawn_separation must exceed ", least, " m here, or a match could begin with a touch");
    if (r->cells * r->cells < r->agents)
        return sl_refuse(refusal, "so many agents do not fit that far apart; set spawn_separation to at most ",
                          tag_largest_separation(r), " m, or a larger arena_half, a smaller spawn_margin or fewer agents");
    return 0;
}

SL_HOST_FN int tag_check_rewards(const TagRules *r, const SlRefusal *refusal) {
    float seeker_bonus = r->tag_bonus, hider_bonus = r->mode == TAG_SWITCH ? r->tag_bonus : r->hider_timeout;
    for (int term = 0; term < TAG_TERMS; term++) {
        float bonus = term < TAG_HIDER_PROGRESS ? seeker_bonus : hider_bonus;
        if (r->worst[term] == 0.0f || r->worst[term] < bonus) continue;
        SlText t = { refusal->why, (int64_t)refusal->room - 1, 0, 0, 0 };
        if (refusal->room == 0) return -1;
        sl_put_raw(&t, TAG_TERM_TABLE[term].name);
        sl_put_raw(&t, " could pay ");
        sl_put_number(&t, (double)r->worst[term]);
        sl_put_raw(&t, " between two touches, not less than the bonus for winning, ");
        sl_put_number(&t, (double)bonus);
        sl_put_raw(&t, "; lower it, shorten the match, raise the bonus, or set allow_farming");
        refusal->why[t.used < t.room ? t.used : t.room] = 0;
        return -1;
    }
    return 0;
}

SL_HOST_FN int tag_configure(void *rules, const double *v, char *why, size_t room) {
    TagRules *r = (TagRules *)rules;
    SlRefusal refusal = { why, room };
    sl_fill(r, 0, sizeof *r);
    r->mode = (int)v[TAG_KNOB_mode];
    r->layout = (int)v[TAG_KNOB_layout];
    r->recall = (int)v[TAG_KNOB_recall];
    r->privileged = (int)v[TAG_KNOB_privileged];
    r->seekers = (int)v[TAG_KNOB_seekers];
    r->hiders = (int)v[TAG_KNOB_hiders];
    r->agents = r->seekers + r->hiders;
    r->first_is_seeker = (int)v[TAG_KNOB_first_is_seeker];
    r->turn_control = (int)v[TAG_KNOB_turn_control];
    if (r->agents > TAG_AGENTS)
        return sl_refuse(&refusal, "seekers and hiders together may be at most ", TAG_AGENTS, "; lower one of them");
    tag_configure_clock(r, v);
    tag_configure_motion(r, v);
    tag_configure_arena(r, v);
    tag_configure_sight(r, v);
    tag_configure_rewards(r, v);
    if (tag_check_places(r, &refusal)) return -1;
    return v[TAG_KNOB_allow_farming] != 0.0 ? 0 : tag_check_rewards(r, &refusal);
}

// ---------------------------------------------------------------- blocks of named numbers

#define TAG_MAX_FIELDS 24

typedef struct { SlField field[TAG_MAX_FIELDS]; int count; } TagFields;

SL_HOST_FN void tag_add(TagFields *f, const char *name, int rows, int columns, float low, float high,
                        const char *unit, const char *labels, const char *text) {
    SlField *field = &f->field[f->count++];
    field->name = name;
    field->rows = rows;
    field->columns = columns;
    field->low = low;
    field->high = high;
    field->unit = unit;
    field->labels = labels;
    field->text = text;
}

SL_HOST_FN void tag_fields_rays(TagFields *f) {
    tag_add(f, "self", 1, 9, -1, 1, "", "x|y|z|velocity_x|velocity_y|velocity_z|on_floor|facing_x|facing_z",
            "place / arena_half (y / 4 m), velocity / the fastest role's speed (y / 10 m/s), 1 on the floor, where the eyes look");
    tag_add(f, "clock", 1, 1, 0, 1, "", "", "time left / time_limit");
    tag_add(f, "roles", 1, 2, 0, 1, "", "seeker|immunity", "own seeker flag, own immunity left / immunity_s");
    tag_add(f, "rays", TAG_RAYS, 1 + TAG_RAY_TYPES, 0, 1, "", "distance|none|wall|agent",
            "from the right edge of the view to the left: distance / vision_range, then the type one-hot");
}

SL_HOST_FN void tag_fields_reference(TagFields *f) {
    tag_add(f, "self", 1, 4, -2, 2, "", "x|z|velocity_x|velocity_z", "place / 15 m, velocity / 10 m/s");
    tag_add(f, "opponent", 1, 4, -3.6f, 3.6f, "", "x|z|velocity_x|velocity_z",
            "nearest opponent less self, place / 15 m, velocity / 10 m/s");
    tag_add(f, "roles", 1, 2, 0, 1, "", "seeker|opponent_seeker", "seeker flags");
    tag_add(f, "facing", 1, 2, -1.001f, 1.001f, "", "x|z", "where the eyes look");
    tag_add(f, "rays", TAG_RAYS, 2, 0, 1, "", "distance|agent", "distance / vision_range, and 1 when it is an agent");
}

SL_HOST_FN TagFields tag_fields_observation(const TagRules *r) {
    TagFields f;
    f.count = 0;
    if (r->layout == TAG_LAYOUT_RAYS) tag_fields_rays(&f);
    else tag_fields_reference(&f);
    if (r->recall)
        tag_add(&f, "recall", 1, 6, -1, 1, "", "ahead|right|distance|velocity_ahead|velocity_right|fresh",
                "the last body this agent saw, from its own rays: bearing, distance / (2 arena_half), velocity / top speed, "
                "and 1 in view, fading by 5 % a step; zero before the first sight");
    if (r->privileged)
        tag_add(&f, "privileged", 1, 4, -1, 1, "", "x|z|velocity_x|velocity_z",
                "nearest opponent less self, place / (2 arena_half), velocity / (2 top speed): for a critic, never an actor");
    return f;
}

SL_HOST_FN TagFields tag_fields_info(const TagRules *r) {
    TagFields f;
    f.count = 0;
    tag_add(&f, "tick", 1, 1, 0, 0, "", "", "ticks since the match began");
    tag_add(&f, "steps", 1, 1, 0, 0, "", "", "decisions since the match began");
    tag_add(&f, "time_elapsed", 1, 1, 0, 0, "s", "", "since the match began");
    tag_add(&f, "time_left", 1, 1, 0, 0, "s", "", "until it ends");
    tag_add(&f, "winner", 1, 1, 0, 2, "", "nobody|seeker|hider", "who won, so far or in the end");
    tag_add(&f, "reason", 1, 1, 0, 2, "", "none|tag|timeout", "why the match ended");
    tag_add(&f, "tags", 1, 1, 0, 0, "", "", "touches that counted");
    tag_add(&f, "distance", r->agents, 1, 0, 0, "m", "", "to the nearest opponent; 0 when none is in play");
    tag_add(&f, "progress", r->agents, 1, 0, 0, "m", "", "closed to the nearest opponent in the last step");
    tag_add(&f, "seeker", r->agents, 1, 0, 1, "", "", "1 for a seeker");
    tag_add(&f, "in_play", r->agents, 1, 0, 1, "", "", "0 for a hider that is out");
    tag_add(&f, "immunity", r->agents, 1, 0, 0, "s", "", "left");
    tag_add(&f, "sees_opponent", r->agents, 1, 0, 1, "", "", "1 when an opponent was in view in the last step");
    return f;
}

SL_HOST_FN TagFields tag_fields_render(const TagRules *r) {
    TagFields f;
    f.count = 0;
    tag_add(&f, "time_left", 1, 1, 0, 0, "s", "", "until the match ends");
    tag_add(&f, "tick", 1, 1, 0, 0, "", "", "ticks since the match began");
    tag_add(&f, "winner", 1, 1, 0, 2, "", "nobody|seeker|hider", "who won, so far or in the end");
    tag_add(&f, "arena_half", 1, 1, 0, 0, "m", "", "centre to the inner face of a wall");
    tag_add(&f, "wall_height", 1, 1, 0, 0, "m", "", "how high to draw walls");
    tag_add(&f, "body_edge", 1, 1, 0, 0, "m", "", "edge of a body");
    tag_add(&f, "position", r->agents, 3, 0, 0, "m", "x|y|z", "middle of the bottom face");
    tag_add(&f, "velocity", r->agents, 3, 0, 0, "m/s", "x|y|z", "");
    tag_add(&f, "facing", r->agents, 2, 0, 0, "", "x|z", "unit vector");
    tag_add(&f, "on_floor", r->agents, 1, 0, 1, "", "", "standing on something");
    tag_add(&f, "seeker", r->agents, 1, 0, 1, "", "", "1 for a seeker");
    tag_add(&f, "immunity", r->agents, 1, 0, 0, "s", "", "left");
    tag_add(&f, "out", r->agents, 1, 0, 1, "", "", "1 for a hider that is out");
    tag_add(&f, "box_count", 1, 1, 0, TAG_BOXES, "", "", "boxes in use");
    tag_add(&f, "boxes", TAG_BOXES, 6, 0, 0, "m", "min_x|min_y|min_z|max_x|max_y|max_z", "unused ones are zero");
    tag_add(&f, "ray_distance", r->agents, TAG_RAYS, 0, 0, "m", "", "from the right edge of the view to the left");
    tag_add(&f, "ray_type", r->agents, TAG_RAYS, 0, 2, "", "", "0 none, 1 wall, 2 agent");
    return f;
}

SL_HOST_FN TagFields tag_fields_episode(const TagRules *r) {
    TagFields f;
    f.count = 0;
    tag_add(&f, "winner", 1, 1, 0, 2, "", "nobody|seeker|hider", "who won, so far or in the end");
    tag_add(&f, "reason", 1, 1, 0, 2, "", "none|tag|timeout", "why the match ended");
    tag_add(&f, "ticks", 1, 1, 0, 0, "", "", "length in ticks");
    tag_add(&f, "steps", 1, 1, 0, 0, "", "", "length in decisions");
    tag_add(&f, "duration_s", 1, 1, 0, 0, "s", "", "length in simulated time");
    tag_add(&f, "tags", 1, 1, 0, 0, "", "", "touches that counted");
    tag_add(&f, "jumps", 1, 1, 0, 0, "", "", "of all agents");
    tag_add(&f, "boxes", 1, 1, 0, 0, "", "", "obstacles that were placed");
    tag_add(&f, "first_seen_s", 1, 1, 0, 0, "s", "", "when a seeker first saw a hider; -1: never");
    tag_add(&f, "seeker_distance", 1, 1, 0, 0, "m", "", "a seeker's mean distance to the nearest hider");
    tag_add(&f, "hider_distance", 1, 1, 0, 0, "m", "", "a hider's mean distance to the nearest seeker");
    tag_add(&f, "seeker_reward", 1, 1, 0, 0, "", "", "sum of the seekers' terms");
    tag_add(&f, "hider_reward", 1, 1, 0, 0, "", "", "sum of the hiders' terms");
    tag_add(&f, "terms", 1, TAG_TERMS, 0, 0, "", "seeker_progress|seeker_time|seeker_tag|seeker_timeout|"
            "hider_progress|hider_survival|hider_tagged|hider_timeout", "sum of each reward term over all agents");
    tag_add(&f, "returns", r->agents, 1, 0, 0, "", "", "sum of all rewards of each agent");
    return f;
}

SL_HOST_FN void tag_shape(const void *rules_, SlShape *out) {
    const TagRules *r = (const TagRules *)rules_;
    TagFields observation = tag_fields_observation(r), info = tag_fields_info(r);
    TagFields render = tag_fields_render(r), episode = tag_fields_episode(r);
    out->agents = r->agents;
    out->observation = sl_fields_size(observation.field, observation.count);
    out->actions = 0;
    out->action_size = r->turn_control ? 4 : 3;
    out->masked = 0;
    out->info = sl_fields_size(info.field, info.count);
    out->render = sl_fields_size(render.field, render.count);
    out->episode = sl_fields_size(episode.field, episode.count);
}

// ---------------------------------------------------------------- describing

SL_HOST_FN void tag_describe_roles(const TagRules *r, SlText *t) {
    sl_key(t, "roles");
    sl_describe_list(t, "seeker|hider");
    sl_key(t, "agent_roles");       // of each agent, when a match begins
    sl_open(t, '[');
    for (int i = 0; i < r->agents; i++) sl_string(t, tag_starts_as_seeker(r, i) ? "seeker" : "hider");
    sl_close(t, ']');
}

// Like sl_describe_terms, with how a term could be abused and what a shaping term could pay at the worst.
SL_HOST_FN void tag_describe_terms(const TagRules *r, SlText *t) {
    sl_key(t, "reward_terms");
    sl_open(t, '[');
    for (int i = 0; i < TAG_TERMS; i++) {
        const SlTerm *term = &TAG_TERM_TABLE[i];
        int shaping = i % 4 < 2;        // progress and rate of either role; the other two are outcomes
        sl_open(t, '{');
        sl_key_string(t, "name", term->name);
        sl_key_string(t, "role", term->role);
        sl_key_string(t, "knob", term->knob);
        sl_key_string(t, "text", term->text);
        sl_key_string(t, "pitfall", TAG_TERM_PITFALLS[i]);
        sl_key(t, "shaping");
        sl_bool(t, shaping);
        if (shaping) sl_key_number(t, "worst_case", (double)r->worst[i]);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void tag_describe(const void *rules_, SlText *t) {
    const TagRules *r = (const TagRules *)rules_;
    TagFields observation = tag_fields_observation(r), info = tag_fields_info(r);
    TagFields render = tag_fields_render(r), episode = tag_fields_episode(r);
    sl_describe_observation(t, observation.field, observation.count);
    sl_describe_actions(t, TAG_ACTIONS, r->turn_control ? 4 : 3);
    tag_describe_roles(r, t);
    tag_describe_terms(r, t);
    sl_describe_fields(t, "info", info.field, info.count);
    sl_describe_fields(t, "render", render.field, render.count);
    sl_describe_fields(t, "episode", episode.field, episode.count);
    sl_describe_meaning(t, TAG_MEANING, SL_COUNT(TAG_MEANING));
    sl_describe_outcomes(t, TAG_OUTCOMES, SL_COUNT(TAG_OUTCOMES));
    sl_describe_default_bots(t, TAG_DEFAULT_BOTS, SL_COUNT(TAG_DEFAULT_BOTS));
    sl_describe_role_styles(t, TAG_ROLE_STYLES, SL_COUNT(TAG_ROLE_STYLES));
    sl_key_string(t, "replay_scene", "tag/Replay");
    sl_key_string(t, "in_play", "in_play");
    sl_describe_events(t, TAG_EVENT_TABLE, SL_COUNT(TAG_EVENT_TABLE));
}

// ---------------------------------------------------------------- reading a world

SL_FN float tag_seconds(const TagRules *r, int ticks) { return (float)ticks / (float)r->tick_rate; }

SL_FN int tag_sees_opponent(const TagRules *r, const TagWorld *w, int me) {
    for (int j = 0; j < r->agents; j++)
        if (((w->seen[me] >> j) & 1) && w->seeker[j] != w->seeker[me]) return 1;
    return 0;
}

SL_FN void tag_info(const void *rules_, const void *world, float *out) {
    const TagRules *r = (const TagRules *)rules_;
    const TagWorld *w = (const TagWorld *)world;
    int n = r->agents;
    *out++ = (float)w->tick;
    *out++ = (float)w->steps;
    *out++ = tag_seconds(r, w->tick);
    *out++ = tag_seconds(r, r->limit - w->tick);
    *out++ = (float)w->winner;
    *out++ = (float)w->reason;
    *out++ = (float)w->tags;
    for (int i = 0; i < n; i++) *out++ = w->distance[i];
    for (int i = 0; i < n; i++) *out++ = w->progress[i];
    for (int i = 0; i < n; i++) *out++ = (float)w->seeker[i];
    for (int i = 0; i < n; i++) *out++ = (float)w->in_play[i];
    for (int i = 0; i < n; i++) *out++ = tag_seconds(r, w->immunity[i]);
    for (int i = 0; i < n; i++) *out++ = (float)tag_sees_opponent(r, w, i);
}

SL_FN float *tag_render_boxes(const TagWorld *w, float *out) {
    *out++ = (float)w->box_count;
    for (int b = 0; b < TAG_BOXES; b++) {
        *out++ = w->min_x[b];
        *out++ = 0.0f;
        *out++ = w->min_z[b];
        *out++ = w->max_x[b];
        *out++ = w->top[b];
        *out++ = w->max_z[b];
    }
    return out;
}

SL_FN void tag_render_rays(const TagRules *r, const TagWorld *w, float *out) {
    float *types = out + r->agents * TAG_RAYS;
    for (int i = 0; i < r->agents; i++) {
        TagSight sight;
        tag_look(r, w, i, &sight);
        for (int k = 0; k < TAG_RAYS; k++) {
            *out++ = sight.distance[k];
            *types++ = sight.wall[k] + 2.0f * sight.agent[k];
        }
    }
}

SL_FN float *tag_render_bodies(const TagRules *r, const TagWorld *w, float *out) {
    int n = r->agents;
    for (int i = 0; i < n; i++) { *out++ = w->x[i]; *out++ = w->y[i]; *out++ = w->z[i]; }
    for (int i = 0; i < n; i++) { *out++ = w->vx[i]; *out++ = w->vy[i]; *out++ = w->vz[i]; }
    for (int i = 0; i < n; i++) { *out++ = w->fx[i]; *out++ = w->fz[i]; }
    for (int i = 0; i < n; i++) *out++ = (float)w->on_floor[i];
    for (int i = 0; i < n; i++) *out++ = (float)w->seeker[i];
    for (int i = 0; i < n; i++) *out++ = tag_seconds(r, w->immunity[i]);
    for (int i = 0; i < n; i++) *out++ = w->in_play[i] ? 0.0f : 1.0f;
    return out;
}

SL_FN void tag_render(const void *rules_, const void *world, float *out) {
    const TagRules *r = (const TagRules *)rules_;
    const TagWorld *w = (const TagWorld *)world;
    *out++ = tag_seconds(r, r->limit - w->tick);
    *out++ = (float)w->tick;
    *out++ = (float)w->winner;
    *out++ = r->arena_half;
    *out++ = r->wall_height;
    *out++ = r->edge;
    out = tag_render_bodies(r, w, out);
    out = tag_render_boxes(w, out);
    tag_render_rays(r, w, out);
}

SL_FN float tag_mean_distance(const TagWorld *w, int role) {
    return w->distance_count[role] ? w->distance_sum[role] / (float)w->distance_count[role] : 0.0f;
}

SL_FN float tag_sum_terms(const float *terms, int first, int last) {
    float sum = 0.0f;
    for (int term = first; term < last; term++) sum += terms[term];
    return sum;
}

SL_FN void tag_episode(const void *rules_, const void *world, float *out) {
    const TagRules *r = (const TagRules *)rules_;
    const TagWorld *w = (const TagWorld *)world;
    float terms[TAG_TERMS] = { 0 };
    for (int i = 0; i < r->agents; i++)
        for (int term = 0; term < TAG_TERMS; term++) terms[term] += w->sums[i][term];
    *out++ = (float)w->winner;
    *out++ = (float)w->reason;
    *out++ = (float)w->tick;
    *out++ = (float)w->steps;
    *out++ = tag_seconds(r, w->tick);
    *out++ = (float)w->tags;
    *out++ = (float)w->jumps;
    *out++ = (float)w->box_count;
    *out++ = w->first_seen_tick < 0 ? -1.0f : tag_seconds(r, w->first_seen_tick);
    *out++ = tag_mean_distance(w, TAG_SEEKER);
    *out++ = tag_mean_distance(w, TAG_HIDER);
    *out++ = tag_sum_terms(terms, TAG_SEEKER_PROGRESS, TAG_HIDER_PROGRESS);
    *out++ = tag_sum_terms(terms, TAG_HIDER_PROGRESS, TAG_TERMS);
    for (int term = 0; term < TAG_TERMS; term++) *out++ = terms[term];
    for (int i = 0; i < r->agents; i++) *out++ = tag_sum_terms(w->sums[i], 0, TAG_TERMS);
}

SL_FN int tag_events(const void *rules, const void *world, SlEvent *out, int room) {
    const TagWorld *w = (const TagWorld *)world;
    int kept = sl_imin(w->event_count, SL_MAX_EVENTS), count = sl_imin(kept, room);
    (void)rules;
    if (count > 0) sl_copy(out, w->events, (size_t)count * sizeof *out);
    return count;
}
