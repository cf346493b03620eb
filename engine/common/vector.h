// vector.h: N worlds of one game over one set of arrays. It steps them, resets what ended, keeps the
// last observation and the sums of each finished episode. It knows no game.
#ifndef SL_VECTOR_H
#define SL_VECTOR_H

#include "../abi/memory.h"
#include "../abi/sandlot.h"
#include "game.h"
#include "hash.h"
#include "head.h"
#include "pool.h"

// Finished episodes waiting to be fetched, oldest first, in a ring that doubles when it is full.
typedef struct {
    SlEpisodeHead *heads;
    float *values;              // [room, episode]
    int64_t room, most, start, count, dropped;
} SlFinished;

#ifndef SL_FINISHED_MOST        // a browser page has less memory to spare
#define SL_FINISHED_MOST 65536  // episodes kept for a caller who does not fetch; the oldest go first
#endif
#define SL_FINISHED_FIRST 16    // room for so many at first: most callers fetch often

struct SlBatch {
    const SlGame *game;
    SlShape shape;
    void *rules;
    void *memory;               // what was allocated for them
    char *worlds;               // [count] of `stride` bytes, on a cache line
    size_t stride;
    SlHead *heads;              // [count]
    uint8_t *ended;             // [count] 1 when an episode ended in this step
    float *sums;                // [count, episode] of those
    SlEpisodeHead *ended_heads; // [count] and their heads
    int count, autoreset, bound;
    int all_live;               // no world needs a reset: once true, only a restore can end it where worlds reset themselves
    int64_t steps;
    uint64_t fingerprint;       // of game, version and knobs: a snapshot fits only its own rules
    SlBuffers buffers;
    SlFinished finished;
    SlPool pool;
};

SL_HOST_FN void *sl_world(const SlBatch *b, int64_t world) { return b->worlds + (size_t)world * b->stride; }

SL_HOST_FN SlView sl_view(const SlBatch *b, int64_t world) {
    const SlShape *s = &b->shape;
    size_t row = (size_t)world * (size_t)s->agents;
    SlView v;
    v.observations = b->buffers.observations + row * (size_t)s->observation;
    v.rewards = b->buffers.rewards + row;
    v.terminated = b->buffers.terminated + row;
    v.truncated = b->buffers.truncated + row;
    v.masks = s->masked ? b->buffers.masks + row * (size_t)s->actions : NULL;
    v.ticks = b->buffers.ticks + row;
    v.actions = (const char *)b->buffers.actions + row * (size_t)s->action_size * 4u;
    return v;
}

SL_HOST_FN void sl_start_episode(SlBatch *b, int64_t world, const SlView *view) {
    SlHead *head = &b->heads[world];
    b->game->reset(b->rules, sl_world(b, world), sl_episode_seed(head));
    b->game->observe(b->rules, sl_world(b, world), view);
    head->state = SL_LIVE;
    head->length = 0;
    head->invalid = 0;
}

// Rewards and flags of a world that did not step.
SL_HOST_FN void sl_clear_outputs(const SlBatch *b, int64_t world, const SlView *view) {
    size_t agents = (size_t)b->shape.agents;
    if (b->buffers.invalid) sl_fill(b->buffers.invalid + (size_t)world * agents, 0, agents);
    sl_fill(view->rewards, 0, agents * sizeof *view->rewards);
    sl_fill(view->terminated, 0, agents);
    sl_fill(view->truncated, 0, agents);
    sl_fill(view->ticks, 0, agents * sizeof *view->ticks);
}

SL_HOST_FN void sl_reset_world(SlBatch *b, int64_t world, uint64_t seed) {
    SlView view = sl_view(b, world);
    b->heads[world].root = seed;
    b->heads[world].episode = 0;
    sl_clear_outputs(b, world, &view);
    sl_start_episode(b, world, &view);
}

SL_HOST_FN void sl_next_world(SlBatch *b, int64_t world) {
    SlView view = sl_view(b, world);
    b->heads[world].episode++;
    sl_clear_outputs(b, world, &view);
    sl_start_episode(b, world, &view);
}

// The episode is over: keep its last observation and its sums, and begin the next one if asked to.
SL_HOST_FN void sl_end_episode(SlBatch *b, int64_t world, const SlView *view) {
    SlHead *head = &b->heads[world];
    size_t floats = (size_t)b->shape.agents * (size_t)b->shape.observation;
    sl_copy(b->buffers.final_observations + (size_t)world * floats, view->observations, floats * sizeof(float));
    b->game->episode(b->rules, sl_world(b, world), b->sums + (size_t)world * (size_t)b->shape.episode);
    b->ended[world] = 1;
    SlEpisodeHead *ended = &b->ended_heads[world];
    ended->seed = sl_episode_seed(head);
    ended->world = (int32_t)world;
    ended->episode = head->episode;
    ended->length = head->length;
    ended->invalid = head->invalid;
    ended->terminated = view->terminated[0];
    ended->truncated = view->truncated[0];
    head->state = SL_ENDED;
    if (!b->autoreset) return;
    head->episode++;
    sl_start_episode(b, world, view);
}

// The next world is on its way from memory while this one steps. Eight lines reach the fields that every
// step reads first; the processor guesses the rest.
SL_HOST_FN void sl_prefetch(const SlBatch *b, int64_t world) {
#if defined(__GNUC__) || defined(__clang__)
    const char *start = (const char *)sl_world(b, world);
    for (int line = 0; line < 8; line++) __builtin_prefetch(start + 64 * line, 1);
#else
    (void)b;
    (void)world;
#endif
}

// Marks and counts the agents of a world whose action does not exist or is masked. Continuous actions out of
// range never get here: the batch refuses them.
SL_HOST_FN int sl_mark_invalid(const SlBatch *b, int64_t world, const SlView *view) {
    const int32_t *actions = (const int32_t *)view->actions;
    const SlShape *s = &b->shape;
    uint8_t *out = b->buffers.invalid ? b->buffers.invalid + world * s->agents : NULL;
    int count = 0;
    for (int agent = 0; agent < s->agents; agent++) {
        uint32_t action = (uint32_t)actions[agent];
        int known = action < (uint32_t)s->actions;
        int invalid = !known || (view->masks && !view->masks[(uint32_t)(agent * s->actions) + action]);
        if (out) out[agent] = (uint8_t)invalid;
        count += invalid;
    }
    return count;
}

// An episode ends for all agents of a world at once, so the first row speaks for it.
SL_HOST_FN void sl_step_worlds(void *context, int64_t first, int64_t last) {
    SlBatch *b = (SlBatch *)context;
    for (int64_t world = first; world < last; world++) {
        SlView view = sl_view(b, world);
        if (world + 1 < last) sl_prefetch(b, world + 1);
        b->heads[world].length++;
        if (b->shape.actions) b->heads[world].invalid += sl_mark_invalid(b, world, &view);
        b->game->step(b->rules, sl_world(b, world), &view);
        b->ended[world] = 0;
        if (SL_UNLIKELY(view.terminated[0] | view.truncated[0])) sl_end_episode(b, world, &view);
    }
}

// More room, the episodes in order from its start. Returns 0, and keeps what it has, where there is no memory.
SL_HOST_FN int sl_grow_finished(SlFinished *f, int64_t room, size_t width) {
    SlEpisodeHead *heads = (SlEpisodeHead *)sl_allocate_many(room, sizeof *heads);
    float *values = (float *)sl_allocate_many(room, width * sizeof *values);
    if (!heads || !values) {
        sl_release(heads);
        sl_release(values);
        return 0;
    }
    for (int64_t i = 0; i < f->count; i++) {
        int64_t slot = (f->start + i) % f->room;
        heads[i] = f->heads[slot];
        sl_copy(values + (size_t)i * width, f->values + (size_t)slot * width, width * sizeof *values);
    }
    sl_release(f->heads);
    sl_release(f->values);
    f->heads = heads;
    f->values = values;
    f->room = room;
    f->start = 0;
    return 1;
}

SL_HOST_FN void sl_keep_finished(SlBatch *b, int64_t world) {
    SlFinished *f = &b->finished;
    size_t width = (size_t)b->shape.episode;
    int64_t more = 2 * f->room < f->most ? 2 * f->room : f->most;
    if (f->count == f->room && (f->room == f->most || !sl_grow_finished(f, more, width))) {
        f->start = (f->start + 1) % f->room;
        f->count--;
        f->dropped++;
    }
    int64_t slot = (f->start + f->count++) % f->room;
    f->heads[slot] = b->ended_heads[world];
    f->heads[slot].step = b->steps;
    sl_copy(f->values + (size_t)slot * width, b->sums + (size_t)world * width, width * sizeof(float));
}

// In world order, whatever thread finished first. Eight flags at a time: most steps end nothing.
SL_HOST_FN int sl_gather_finished(SlBatch *b) {
    int ended = 0;
    int64_t world = 0;
    for (; world + 8 <= b->count; world += 8) {
        uint64_t eight;
        sl_copy(&eight, b->ended + world, 8);
        if (SL_LIKELY(!eight)) continue;
        for (int i = 0; i < 8; i++)
            if (b->ended[world + i]) { sl_keep_finished(b, world + i); ended++; }
    }
    for (; world < b->count; world++)
        if (b->ended[world]) { sl_keep_finished(b, world); ended++; }
    return ended;
}

#endif
