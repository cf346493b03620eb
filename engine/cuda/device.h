// device.h: a batch on the GPU, as the host hands it over. All pointers are the device's; the layout is that of
// the vector layer (row = world * agents + agent).
#ifndef SL_DEVICE_H
#define SL_DEVICE_H

#include "../common/game.h"

typedef struct {
    const void *rules;          // made on the host by SlGame.configure, copied over as bytes
    char *worlds;               // [count] of `stride` bytes
    size_t stride;
    SlShape shape;
    int count;
    float *observations, *rewards;
    uint8_t *terminated, *truncated, *masks;
    int32_t *ticks;
    const void *actions;
} SlDeviceBatch;

// reset: seeds: one per world; which: null for all worlds, else one byte per world (both the device's).
// Each starts a kernel and returns at once.
#define SL_DECLARE_DEVICE(game)                                                                                 \
    void sl_cuda_##game##_reset(const SlDeviceBatch *batch, const uint64_t *seeds, const uint8_t *which);       \
    void sl_cuda_##game##_observe(const SlDeviceBatch *batch);                                                  \
    void sl_cuda_##game##_step(const SlDeviceBatch *batch);

#if defined(__cplusplus)
extern "C" {
#endif
SL_DECLARE_DEVICE(tag)
SL_DECLARE_DEVICE(prospector)
SL_DECLARE_DEVICE(landing)
SL_DECLARE_DEVICE(navigation)
#if defined(__cplusplus)
}
#endif

#endif
