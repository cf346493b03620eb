// engine.cu: the cores as CUDA, from the same source: the units are included, not rewritten. One thread a world,
// over arrays on the device with the layout of the vector layer (row = world * agents + agent). What vector.h does
// around a core on the CPU (heads, final observations, sums of episodes, the next episode) is done here by kernels.
//
//   nvcc -arch=sm_90 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -cubin engine/cuda/engine.cu
//
// Those flags are the promise of equal bits: no contracted multiply-add, IEEE division and square root, denormals
// kept. -DSL_ONLY -DSL_ONLY_tag compiles one game alone, which is what Python does (worlds/cuda_build.py).
#define SL_SUFFIX _cuda
#include "device.h"

#define SL_CUDA_BLOCK 128       // threads a block: worlds differ in length of step, so small blocks finish sooner

static __device__ SlView sl_device_view(const SlDeviceBatch *b, int world) {
    size_t row = (size_t)world * (size_t)b->shape.agents;
    SlView view;
    view.observations = b->observations + row * (size_t)b->shape.observation;
    view.rewards = b->rewards + row;
    view.terminated = b->terminated + row;
    view.truncated = b->truncated + row;
    view.masks = b->shape.masked ? b->masks + row * (size_t)b->shape.actions : NULL;
    view.ticks = b->ticks + row;
    view.actions = (const char *)b->actions + row * (size_t)b->shape.action_size * 4u;
    return view;
}

static __device__ int sl_device_index(void) { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

static __device__ void *sl_device_world(const SlDeviceBatch *b, int world) { return b->worlds + (size_t)world * (size_t)b->stride; }

// Rewards and flags of a world that did not step.
static __device__ void sl_device_clear(const SlDeviceBatch *b, int world, const SlView *view) {
    size_t agents = (size_t)b->shape.agents;
    sl_fill(b->invalid + (size_t)world * agents, 0, agents);
    sl_fill(view->rewards, 0, agents * sizeof *view->rewards);
    sl_fill(view->terminated, 0, agents);
    sl_fill(view->truncated, 0, agents);
    sl_fill(view->ticks, 0, agents * sizeof *view->ticks);
}

// Marks and counts the agents of a world whose action does not exist or is masked.
static __device__ int sl_device_mark_invalid(const SlDeviceBatch *b, int world, const SlView *view) {
    const int32_t *actions = (const int32_t *)view->actions;
    const SlShape *s = &b->shape;
    int count = 0;
    for (int agent = 0; agent < s->agents; agent++) {
        uint32_t action = (uint32_t)actions[agent];
        int known = action < (uint32_t)s->actions;
        int invalid = !known || (view->masks && !view->masks[(uint32_t)(agent * s->actions) + action]);
        b->invalid[(size_t)world * (size_t)s->agents + (size_t)agent] = (uint8_t)invalid;
        count += invalid;
    }
    return count;
}

// A place in the ring of finished episodes; `steps` already counts the present one.
static __device__ int64_t sl_device_note_episode(const SlDeviceBatch *b, int world, const SlView *view) {
    const SlHead *head = &b->heads[world];
    atomicAdd((unsigned long long *)&b->counts->ended, 1ull);
    int64_t slot = (int64_t)(atomicAdd((unsigned long long *)&b->counts->finished, 1ull) % (unsigned long long)b->room);
    SlEpisodeHead *ended = &b->finished_heads[slot];
    sl_fill(ended, 0, sizeof *ended);
    ended->seed = sl_episode_seed(head);
    ended->step = b->counts->steps;
    ended->world = (int32_t)world;
    ended->episode = head->episode;
    ended->length = head->length;
    ended->invalid = head->invalid;
    ended->terminated = view->terminated[0];
    ended->truncated = view->truncated[0];
    return slot;
}

typedef void SlResetFn(const void *rules, void *world, uint64_t seed);
typedef void SlObserveFn(const void *rules, const void *world, const SlView *view);
typedef void SlStepFn(const void *rules, void *world, const SlView *view);
typedef void SlEpisodeFn(const void *rules, const void *world, float *out);
typedef void SlBotFn(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action);

// A core's function is a template argument, not a pointer, so that it is compiled into its kernel.
template <SlResetFn reset, SlObserveFn observe>
static __device__ void sl_device_start(const SlDeviceBatch *b, int world, const SlView *view) {
    SlHead *head = &b->heads[world];
    reset(b->rules, sl_device_world(b, world), sl_episode_seed(head));
    observe(b->rules, sl_device_world(b, world), view);
    head->state = SL_LIVE;
    head->length = 0;
    head->invalid = 0;
}

// seeds: one per world. which: one byte per world.
template <SlResetFn reset, SlObserveFn observe>
static __device__ void sl_device_reset(const SlDeviceBatch *b, const uint64_t *seeds, const uint8_t *which) {
    int world = sl_device_index();
    if (world >= b->count || !which[world]) return;
    SlView view = sl_device_view(b, world);
    b->heads[world].root = seeds[world];
    b->heads[world].episode = 0;
    sl_device_clear(b, world, &view);
    sl_device_start<reset, observe>(b, world, &view);
}

// The next episode of the worlds in `which`; after a step (clear == 0) its rewards and flags stay.
template <SlResetFn reset, SlObserveFn observe>
static __device__ void sl_device_next(const SlDeviceBatch *b, const uint8_t *which, int clear) {
    int world = sl_device_index();
    if (world >= b->count || !which[world]) return;
    SlView view = sl_device_view(b, world);
    b->heads[world].episode++;
    if (clear) sl_device_clear(b, world, &view);
    sl_device_start<reset, observe>(b, world, &view);
}

template <SlObserveFn observe>
static __device__ void sl_device_observe(const SlDeviceBatch *b, const uint8_t *which) {
    int world = sl_device_index();
    if (world >= b->count || !which[world]) return;
    SlView view = sl_device_view(b, world);
    sl_device_clear(b, world, &view);
    observe(b->rules, sl_device_world(b, world), &view);
}

// An episode ends for all agents of a world at once, so the first row speaks for it. Worlds that ended keep their last
// observation and their sums here; `next` starts their next episode in a kernel of its own, whose few busy threads
// then do not hold the others up.
template <SlStepFn step, SlEpisodeFn episode>
static __device__ void sl_device_step(const SlDeviceBatch *b) {
    int world = sl_device_index();
    if (world >= b->count) return;
    SlView view = sl_device_view(b, world);
    SlHead *head = &b->heads[world];
    head->length++;
    if (b->shape.actions) head->invalid += sl_device_mark_invalid(b, world, &view);
    step(b->rules, sl_device_world(b, world), &view);
    int ended = view.terminated[0] | view.truncated[0];
    b->ended[world] = (uint8_t)(ended != 0);
    if (!ended) return;
    size_t floats = (size_t)b->shape.agents * (size_t)b->shape.observation;
    float *final = b->final_observations + (size_t)world * floats;
    for (size_t i = 0; i < floats; i++) final[i] = view.observations[i];
    int64_t slot = sl_device_note_episode(b, world, &view);
    episode(b->rules, sl_device_world(b, world), b->finished_values + slot * b->shape.episode);
    head->state = SL_ENDED;
}

// rows: whose actions to choose, `count` of them; for each its bot (an index of the game's table, -1 for none), that
// bot's level, and SL_BOT_MEMORY floats of memory. Memory of a row whose episode ended in the last step begins anew,
// but for the random stream. Which bot plays is data, so that a CUDA graph stays good when others are drawn.
template <SlBotFn... acts>
static __device__ void sl_device_bots(const SlDeviceBatch *b, const int64_t *rows, int count, const int32_t *bots,
                                      const int32_t *levels, float *memory) {
    int i = sl_device_index();
    if (i >= count) return;
    const SlShape *s = &b->shape;
    int64_t row = rows[i];
    float *own = memory + (size_t)i * SL_BOT_MEMORY;
    const float *observation = b->observations + row * s->observation;
    const uint8_t *mask = s->masked ? b->masks + row * s->actions : NULL;
    char *action = (char *)b->actions + row * s->action_size * 4;
    if (b->terminated[row] | b->truncated[row]) sl_fill(own + 2, 0, (SL_BOT_MEMORY - 2) * sizeof(float));
    int number = 0;
    ((bots[i] == number++ ? acts(b->rules, levels[i], observation, mask, own, action) : (void)0), ...);
}

// Before every step: one thread counts it.
extern "C" __global__ void sl_cuda_count(SlDeviceCounts *counts) {
    counts->steps++;
    counts->ended = 0;
}

// The kernels of a game, named by the same functions that its SlGame names.
#define SL_CUDA_GAME(game, reset, observe, step, episode)                                                              \
    extern "C" __global__ void sl_cuda_##game##_reset(SlDeviceBatch b, const uint64_t *seeds, const uint8_t *which) {  \
        sl_device_reset<reset, observe>(&b, seeds, which);                                                             \
    }                                                                                                                  \
    extern "C" __global__ void sl_cuda_##game##_next(SlDeviceBatch b, const uint8_t *which, int clear) {               \
        sl_device_next<reset, observe>(&b, which, clear);                                                              \
    }                                                                                                                  \
    extern "C" __global__ void sl_cuda_##game##_observe(SlDeviceBatch b, const uint8_t *which) {                       \
        sl_device_observe<observe>(&b, which);                                                                         \
    }                                                                                                                  \
    extern "C" __global__ void sl_cuda_##game##_step(SlDeviceBatch b) { sl_device_step<step, episode>(&b); }
// Its bots, in the order of its table.
#define SL_CUDA_BOTS(game, ...)                                                                                        \
    extern "C" __global__ void sl_cuda_##game##_bots(SlDeviceBatch b, const int64_t *rows, int count,                  \
                                                     const int32_t *bots, const int32_t *levels, float *memory) {      \
        sl_device_bots<__VA_ARGS__>(&b, rows, count, bots, levels, memory);                                            \
    }

#if !defined(SL_ONLY) || defined(SL_ONLY_tag)
#include "../tag/unit.c"
SL_CUDA_GAME(tag, tag_reset, tag_observe, tag_step, tag_episode)
SL_CUDA_BOTS(tag, tag_bot_chase, tag_bot_evade, tag_bot_wander, tag_bot_ambush)
#endif
#if !defined(SL_ONLY) || defined(SL_ONLY_prospector)
#include "../prospector/unit.c"
SL_CUDA_GAME(prospector, pr_game_reset, pr_game_observe, pr_game_step, prospector_episode)
SL_CUDA_BOTS(prospector, pr_bot_greedy_miner, pr_bot_cautious_scanner, pr_bot_market_timer, pr_bot_do_nothing,
             pr_bot_random_legal, pr_bot_tour)
#endif
#if !defined(SL_ONLY) || defined(SL_ONLY_landing)
#include "../landing/unit.c"
SL_CUDA_GAME(landing, landing_reset, landing_observe, landing_step, landing_episode)
SL_CUDA_BOTS(landing, landing_bot_autopilot, landing_bot_brake, landing_bot_idle, landing_bot_random)
#endif
#if !defined(SL_ONLY) || defined(SL_ONLY_navigation)
#include "../navigation/unit.c"
SL_CUDA_GAME(navigation, navigation_reset, navigation_observe, navigation_step, navigation_episode)
SL_CUDA_BOTS(navigation, navigation_bot_pathfollower, navigation_bot_greedy, navigation_bot_idle, navigation_bot_random)
#endif
