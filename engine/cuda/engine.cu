// engine.cu: the cores as CUDA, from the same source: the units are included, not rewritten. One thread a world,
// over arrays on the device with the layout of the vector layer (row = world * agents + agent).
//
//   nvcc -arch=sm_90 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -c engine/cuda/engine.cu
//
// Those flags are the promise of equal bits: no contracted multiply-add, IEEE division and square root, denormals
// kept. check.cu plays the same games on both sides and compares every byte.
#define SL_SUFFIX _cuda         // so that the CPU's builds can be in the same program
#include "../tag/unit.c"
#include "../prospector/unit.c"
#include "../landing/unit.c"
#include "../navigation/unit.c"

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

static __device__ int sl_device_world(void) { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

typedef void SlResetFn(const void *rules, void *world, uint64_t seed);
typedef void SlObserveFn(const void *rules, const void *world, const SlView *view);
typedef void SlStepFn(const void *rules, void *world, const SlView *view);

// A core's function is a template argument, not a pointer, so that it is compiled into its kernel.
template <SlResetFn reset, SlObserveFn observe>
static __global__ void sl_reset_kernel(SlDeviceBatch b, const uint64_t *seeds, const uint8_t *which) {
    int world = sl_device_world();
    if (world >= b.count || (which && !which[world])) return;
    SlView view = sl_device_view(&b, world);
    reset(b.rules, b.worlds + (size_t)world * b.stride, seeds[world]);
    observe(b.rules, b.worlds + (size_t)world * b.stride, &view);
}

template <SlObserveFn observe>
static __global__ void sl_observe_kernel(SlDeviceBatch b) {
    int world = sl_device_world();
    if (world >= b.count) return;
    SlView view = sl_device_view(&b, world);
    observe(b.rules, b.worlds + (size_t)world * b.stride, &view);
}

template <SlStepFn step>
static __global__ void sl_step_kernel(SlDeviceBatch b) {
    int world = sl_device_world();
    if (world >= b.count) return;
    SlView view = sl_device_view(&b, world);
    step(b.rules, b.worlds + (size_t)world * b.stride, &view);
}

static int sl_blocks(int worlds) { return (worlds + SL_CUDA_BLOCK - 1) / SL_CUDA_BLOCK; }

// The host's three functions for a game, named by the same functions that its SlGame names.
#define SL_CUDA_GAME(game, reset, observe, step)                                                            \
    extern "C" void sl_cuda_##game##_reset(const SlDeviceBatch *b, const uint64_t *seeds, const uint8_t *which) { \
        sl_reset_kernel<reset, observe><<<sl_blocks(b->count), SL_CUDA_BLOCK>>>(*b, seeds, which);          \
    }                                                                                                       \
    extern "C" void sl_cuda_##game##_observe(const SlDeviceBatch *b) {                                      \
        sl_observe_kernel<observe><<<sl_blocks(b->count), SL_CUDA_BLOCK>>>(*b);                             \
    }                                                                                                       \
    extern "C" void sl_cuda_##game##_step(const SlDeviceBatch *b) {                                         \
        sl_step_kernel<step><<<sl_blocks(b->count), SL_CUDA_BLOCK>>>(*b);                                   \
    }

SL_CUDA_GAME(tag, tag_reset, tag_observe, tag_step)
SL_CUDA_GAME(prospector, pr_game_reset, pr_game_observe, pr_game_step)
SL_CUDA_GAME(landing, landing_reset, landing_observe, landing_step)
SL_CUDA_GAME(navigation, navigation_reset, navigation_observe, navigation_step)
