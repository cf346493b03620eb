// tag.c: the rules of tag: how a match begins, what a tick and a step are, who touched whom, and what is
// paid for it. Motion is in tag_move.c, sight in tag_obs.c, memory in tag_recall.c.
#include "tag.h"

// ---------------------------------------------------------------- a match begins

SL_FN int tag_place_freely(const TagRules *rules, TagWorld *w, int me) {
    for (int tries = 0; tries < TAG_SPAWN_TRIES; tries++) {
        w->x[me] = sl_uniform_in(&w->rng, -rules->spawn_half, rules->spawn_half);
        w->z[me] = sl_uniform_in(&w->rng, -rules->spawn_half, rules->spawn_half);
        int clear = 1;
        for (int j = 0; j < me; j++) {
            float dx = w->x[me] - w->x[j], dz = w->z[me] - w->z[j];
            clear &= dx * dx + dz * dz >= rules->separation * rules->separation;
        }
        if (clear) return 1;
    }
    return 0;
}

// A shuffled lattice whose spacing is the separation: always room, still not the same twice.
SL_FN void tag_place_on_lattice(const TagRules *rules, TagWorld *w) {
    int cell[TAG_LATTICE * TAG_LATTICE], count = rules->cells * rules->cells;
    for (int c = 0; c < count; c++) cell[c] = c;
    for (int i = 0; i < rules->agents; i++) {
        int j = sl_integer_in(&w->rng, i, count - 1), mine = cell[j];
        cell[j] = cell[i];
        w->x[i] = -rules->spawn_half + (float)(mine % rules->cells) * rules->spacing;
        w->z[i] = -rules->spawn_half + (float)(mine / rules->cells) * rules->spacing;
    }
}

SL_FN void tag_place_agents(const TagRules *rules, TagWorld *w) {
    int placed = 1;
    for (int i = 0; placed && i < rules->agents; i++) placed = tag_place_freely(rules, w, i);
    if (!placed) tag_place_on_lattice(rules, w);
    for (int i = 0; i < rules->agents; i++) {
        float turns = sl_uniform(&w->rng);
        tag_set_facing(w, i, sl_sin_turns(turns), -sl_cos_turns(turns));
    }
}

// A box by its middle and half widths.
typedef struct { float cx, cz, hx, hz, top; } TagBlock;

SL_FN int tag_block_fits(const TagRules *rules, const TagWorld *w, const TagBlock *taken, int count, const TagBlock *block) {
    for (int o = 0; o < count; o++)
        if (sl_abs(block->cx - taken[o].cx) < (block->hx + taken[o].hx) + rules->gap
            && sl_abs(block->cz - taken[o].cz) < (block->hz + taken[o].hz) + rules->gap) return 0;
    for (int i = 0; i < rules->agents; i++)
        if (sl_abs(block->cx - w->x[i]) < block->hx + rules->edge
            && sl_abs(block->cz - w->z[i]) < block->hz + rules->edge) return 0;
    return 1;
}

SL_FN TagBlock tag_draw_block(const TagRules *rules, TagWorld *w) {
    TagBlock block = { 0, 0, 0, 0, 0 };
    block.hx = 0.5f * sl_uniform_in(&w->rng, TAG_BOX_NARROW, TAG_BOX_WIDE);
    block.hz = 0.5f * sl_uniform_in(&w->rng, TAG_BOX_NARROW, TAG_BOX_WIDE);
    int low = sl_uniform(&w->rng) < rules->low_share;
    block.top = sl_uniform_in(&w->rng, low ? TAG_LOW_MIN : TAG_TALL_MIN, low ? TAG_LOW_MAX : TAG_TALL_MAX);
    return block;
}

SL_FN int tag_place_block(const TagRules *rules, TagWorld *w, const TagBlock *taken, TagBlock *block) {
    float room_x = rules->arena_half - (block->hx + rules->gap), room_z = rules->arena_half - (block->hz + rules->gap);
    if (room_x < 0.0f || room_z < 0.0f) return 0;
    for (int tries = 0; tries < TAG_BOX_TRIES; tries++) {
        block->cx = sl_uniform_in(&w->rng, -room_x, room_x);
        block->cz = sl_uniform_in(&w->rng, -room_z, room_z);
        if (tag_block_fits(rules, w, taken, w->box_count, block)) return 1;
    }
    return 0;
}

SL_FN void tag_keep_block(const TagRules *rules, TagWorld *w, const TagBlock *block) {
    int b = w->box_count++;
    w->min_x[b] = block->cx - block->hx;
    w->max_x[b] = block->cx + block->hx;
    w->min_z[b] = block->cz - block->hz;
    w->max_z[b] = block->cz + block->hz;
    w->top[b] = block->top;
    w->lo_x[b] = w->min_x[b] - rules->grow;
    w->hi_x[b] = w->max_x[b] + rules->grow;
    w->lo_z[b] = w->min_z[b] - rules->grow;
    w->hi_z[b] = w->max_z[b] + rules->grow;
}

SL_FN void tag_place_boxes(const TagRules *rules, TagWorld *w) {
    TagBlock taken[TAG_BOXES];
    for (int n = 0; n < rules->obstacles; n++) {
        TagBlock block = tag_draw_block(rules, w);
        if (!tag_place_block(rules, w, taken, &block)) continue;
        taken[w->box_count] = block;
        tag_keep_block(rules, w, &block);
    }
}

SL_FN int tag_starts_as_seeker(const TagRules *rules, int agent) {
    return rules->first_is_seeker ? agent < rules->seekers : agent >= rules->hiders;
}

SL_FN void tag_measure(const TagRules *rules, TagWorld *w) {
    for (int i = 0; i < rules->agents; i++)
        tag_nearest_opponent(rules, w, w->seeker, w->in_play, i, &w->distance[i]);
}

SL_FN void tag_reset(const void *rules_, void *world, uint64_t seed) {
    const TagRules *rules = (const TagRules *)rules_;
    TagWorld *w = (TagWorld *)world;
    sl_fill(w, 0, sizeof *w);
    sl_rng_seed(&w->rng, seed);
    tag_place_agents(rules, w);
    tag_place_boxes(rules, w);
    for (int i = 0; i < TAG_AGENTS; i++) {
        int there = i < rules->agents;
        w->seeker[i] = (uint8_t)(there && tag_starts_as_seeker(rules, i));
        w->in_play[i] = (uint8_t)there;
        w->on_floor[i] = (uint8_t)there;
        w->coyote[i] = there ? rules->coyote_ticks + 1 : 0;
    }
    w->first_seen_tick = -1;
    tag_measure(rules, w);
    tag_event(w, TAG_EVENT_START, (float)rules->agents, (float)w->box_count, 0.0f);
}

// ---------------------------------------------------------------- what agents want

// From the frame of the eyes at the start of the step into the frame of the world.
SL_FN void tag_decide(const TagRules *rules, const TagWorld *w, int me, const float *action, TagIntent *intent) {
    int held = w->seeker[me] && w->tick < rules->head_start_ticks;
    float mx = held ? 0.0f : action[0], mz = held ? 0.0f : action[1], fx = w->fx[me], fz = w->fz[me];
    float s = mx * mx + mz * mz;
    if (s > 1.0f) {
        float l = sl_sqrt(s);
        mx = mx / l;
        mz = mz / l;
    }
    float wx = -(mx * fz) - mz * fx, wz = mx * fx - mz * fz, speed = rules->speed[w->seeker[me]];
    s = wx * wx + wz * wz;
    intent->moving = s > 1e-6f;
    float l = intent->moving ? sl_sqrt(s) : 1.0f;
    intent->to_x = wx / l;
    intent->to_z = wz / l;
    intent->want_x = intent->moving ? wx * speed : 0.0f;
    intent->want_z = intent->moving ? wz * speed : 0.0f;
    intent->leap = !held && action[2] > 0.5f;
    if (!rules->turn_control) return;
    float turns = held ? 0.0f : action[3] * rules->turn;
    intent->spin_cos = sl_cos_turns(turns);
    intent->spin_sin = sl_sin_turns(turns);
}

// ---------------------------------------------------------------- touching

SL_FN int tag_touching(const TagRules *rules, const TagWorld *w, int a, int b) {
    return sl_abs(w->x[a] - w->x[b]) <= rules->touch && sl_abs(w->z[a] - w->z[b]) <= rules->touch
        && sl_abs(w->y[a] - w->y[b]) <= rules->touch;
}

SL_FN void tag_count_touch(TagWorld *w, int seeker, int hider, int kind) {
    w->tags++;
    w->tags_made[seeker]++;
    w->times_tagged[hider]++;
    tag_event(w, kind, (float)seeker, (float)hider, (float)w->tick);
}

SL_FN int tag_hider_left(const TagRules *rules, const TagWorld *w) {
    for (int i = 0; i < rules->agents; i++)
        if (w->in_play[i] && !w->seeker[i]) return 1;
    return 0;
}

SL_FN void tag_touch_timed(const TagRules *rules, TagWorld *w) {
    for (int h = 0; h < rules->agents; h++) {
        if (w->seeker[h] || !w->in_play[h]) continue;
        for (int s = 0; s < rules->agents; s++) {
            if (!w->seeker[s] || !tag_touching(rules, w, s, h)) continue;
            tag_count_touch(w, s, h, TAG_EVENT_TAG);
            w->in_play[h] = 0;
            break;
        }
    }
    if (tag_hider_left(rules, w)) return;
    w->winner = TAG_SEEKER_WINS;
    w->reason = TAG_BY_TOUCH;
}

SL_FN void tag_pass(const TagRules *rules, TagWorld *w, int from, int to) {
    tag_count_touch(w, from, to, TAG_EVENT_PASS);
    w->seeker[from] = TAG_HIDER;
    w->seeker[to] = TAG_SEEKER;
    w->immunity[from] = rules->immune_ticks;
    w->immunity[to] = rules->immune_ticks;
}

SL_FN void tag_touch_switch(const TagRules *rules, TagWorld *w) {
    for (int s = 0; s < rules->agents; s++) {
        if (!w->seeker[s] || w->immunity[s] > 0) continue;
        for (int h = 0; h < rules->agents; h++) {
            if (w->seeker[h] || w->immunity[h] > 0 || !tag_touching(rules, w, s, h)) continue;
            tag_pass(rules, w, s, h);
            break;
        }
    }
}

SL_FN void tag_time_up(const TagRules *rules, TagWorld *w) {
    w->reason = TAG_BY_TIME;
    w->winner = rules->mode == TAG_TIMED ? TAG_HIDER_WINS : TAG_NOBODY;
    tag_event(w, TAG_EVENT_TIMEOUT, (float)w->tick, 0.0f, 0.0f);
}

// ---------------------------------------------------------------- a tick

SL_FN void tag_tick(const TagRules *rules, TagWorld *w, const TagNear *near_boxes, const TagIntent *intents) {
    w->tick++;
    for (int i = 0; i < rules->agents; i++) {
        if (!w->in_play[i]) continue;
        if (w->immunity[i] > 0) w->immunity[i]--;
        tag_move(rules, w, &near_boxes[i], i, &intents[i]);
    }
    if (w->tick >= rules->limit) tag_time_up(rules, w);
    else if (rules->mode == TAG_TIMED) tag_touch_timed(rules, w);
    else tag_touch_switch(rules, w);
}

// ---------------------------------------------------------------- scoring

// Who played what when the step began: a pass or a touch within it pays by these roles.
typedef struct { uint8_t seeker[TAG_AGENTS], in_play[TAG_AGENTS]; } TagRoster;

SL_FN void tag_pay(TagWorld *w, int agent, int term, float amount, float *reward) {
    w->sums[agent][term] += amount;
    *reward += amount;
}

SL_FN void tag_pay_touches(const TagRules *rules, TagWorld *w, int agent, float *reward) {
    if (w->tags_made[agent])
        tag_pay(w, agent, TAG_SEEKER_TAG, rules->tag_bonus * (float)w->tags_made[agent], reward);
    if (w->times_tagged[agent])
        tag_pay(w, agent, TAG_HIDER_TAGGED, -(rules->tagged_penalty * (float)w->times_tagged[agent]), reward);
}

SL_FN void tag_pay_timeout(const TagRules *rules, TagWorld *w, int agent, float *reward) {
    if (rules->mode != TAG_TIMED || w->reason != TAG_BY_TIME || !w->in_play[agent]) return;
    if (w->seeker[agent]) tag_pay(w, agent, TAG_SEEKER_TIMEOUT, -rules->seeker_timeout, reward);
    else tag_pay(w, agent, TAG_HIDER_TIMEOUT, rules->hider_timeout, reward);
}

SL_FN float tag_score_agent(const TagRules *rules, TagWorld *w, const TagRoster *roster, int me) {
    float now, reward = 0.0f, seconds = (float)w->step_ticks * rules->dt;
    int seeker = roster->seeker[me];
    tag_nearest_opponent(rules, w, roster->seeker, roster->in_play, me, &now);
    float closed = w->distance[me] - now;
    w->progress[me] = closed;
    w->distance_sum[seeker] += now;
    w->distance_count[seeker]++;
    if (seeker) {
        tag_pay(w, me, TAG_SEEKER_PROGRESS, rules->seeker_progress * closed, &reward);
        tag_pay(w, me, TAG_SEEKER_TIME, -(rules->seeker_time * seconds), &reward);
    } else {
        tag_pay(w, me, TAG_HIDER_PROGRESS, -(rules->hider_progress * closed), &reward);
        tag_pay(w, me, TAG_HIDER_SURVIVAL, rules->hider_survival * seconds, &reward);
    }
    tag_pay_touches(rules, w, me, &reward);
    tag_pay_timeout(rules, w, me, &reward);
    return reward;
}

SL_FN void tag_score(const TagRules *rules, TagWorld *w, const TagRoster *roster, float *rewards) {
    for (int i = 0; i < rules->agents; i++) {
        w->progress[i] = 0.0f;
        rewards[i] = roster->in_play[i] ? tag_score_agent(rules, w, roster, i) : 0.0f;
    }
    tag_measure(rules, w);
}

// ---------------------------------------------------------------- a step

SL_FN void tag_play(const TagRules *rules, TagWorld *w, const float *actions) {
    TagIntent intents[TAG_AGENTS];
    TagNear near_boxes[TAG_AGENTS];
    int action_size = rules->turn_control ? 4 : 3;
    for (int i = 0; i < rules->agents; i++) {
        tag_decide(rules, w, i, actions + i * action_size, &intents[i]);
        tag_find_near(rules, w, i, &near_boxes[i]);
    }
    w->step_ticks = 0;
    do {
        tag_tick(rules, w, near_boxes, intents);
        w->step_ticks++;
    } while (w->reason == TAG_NOT_ENDED && w->step_ticks < rules->ticks_per_step);
    w->steps++;
}

// A new sight is an event. That a seeker sees a hider also comes about by a pass, with nothing new in view.
SL_FN void tag_note_sight(const TagRules *rules, TagWorld *w, int me, uint8_t seen) {
    uint8_t fresh = (uint8_t)(seen & ~w->seen[me]);
    w->seen[me] = seen;
    if (!seen) return;
    for (int j = 0; j < rules->agents; j++) {
        if ((fresh >> j) & 1) tag_event(w, TAG_EVENT_SIGHT, (float)me, (float)j, (float)w->tick);
        if (((seen >> j) & 1) && w->seeker[me] && !w->seeker[j] && w->first_seen_tick < 0) w->first_seen_tick = w->tick;
    }
}

SL_FN void tag_show(const TagRules *rules, TagWorld *w, float *observations) {
    int size = tag_observation_size(rules);
    for (int i = 0; i < rules->agents; i++) {
        TagSight sight;
        tag_look(rules, w, i, &sight);
        tag_note_sight(rules, w, i, sight.seen);
        if (rules->recall) tag_remember(rules, w, i, &sight);
        tag_write_observation(rules, w, i, &sight, observations + (size_t)i * (size_t)size);
    }
}

SL_FN void tag_report(const TagRules *rules, const TagWorld *w, const SlView *view) {
    int over = w->reason != TAG_NOT_ENDED, terminated = over && rules->mode == TAG_TIMED;
    for (int i = 0; i < rules->agents; i++) {
        view->terminated[i] = (uint8_t)terminated;
        view->truncated[i] = (uint8_t)(over && !terminated);
        view->ticks[i] = w->step_ticks;
    }
}

SL_FN void tag_step(const void *rules_, void *world, const SlView *view) {
    const TagRules *rules = (const TagRules *)rules_;
    TagWorld *w = (TagWorld *)world;
    TagRoster roster;
    sl_copy(roster.seeker, w->seeker, sizeof roster.seeker);
    sl_copy(roster.in_play, w->in_play, sizeof roster.in_play);
    sl_fill(w->tags_made, 0, sizeof w->tags_made);
    sl_fill(w->times_tagged, 0, sizeof w->times_tagged);
    w->event_count = 0;
    tag_play(rules, w, (const float *)view->actions);
    tag_score(rules, w, &roster, view->rewards);
    tag_show(rules, w, view->observations);
    tag_report(rules, w, view);
}
