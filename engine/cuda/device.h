// device.h: a batch on the GPU, as the host hands it to every kernel. All pointers are the device's; the layout is that
// of the vector layer (row = world * agents + agent). Python's mirror of the struct: worlds/cuda_kernels.py.
#ifndef SL_DEVICE_H
#define SL_DEVICE_H

#include "../abi/sandlot.h"
#include "../common/game.h"
#include "../common/head.h"

// How much happened, counted on the device so that the host need not look after every step.
typedef struct {
    int64_t steps;              // of the batch
    int64_t finished;           // episodes since the host last fetched them; the ring keeps the last `room` of them
    int64_t ended;              // episodes in the last step
} SlDeviceCounts;

typedef struct {
    const void *rules;          // made on the host by SlGame.configure, copied over as bytes
    char *worlds;               // [count] of `stride` bytes
    SlHead *heads;              // [count]
    uint8_t *ended;             // [count] 1 when an episode ended in this step
    float *observations, *final_observations;
    const void *actions;
    float *rewards;
    uint8_t *terminated, *truncated, *masks;
    int32_t *ticks;
    uint8_t *invalid;
    SlDeviceCounts *counts;
    SlEpisodeHead *finished_heads;  // [room], in no order: the host sorts by step and world
    float *finished_values;         // [room, episode]
    int64_t room;
    int64_t stride;
    SlShape shape;
    int32_t count, autoreset;
} SlDeviceBatch;

#endif
