// kernels.h: the loops of unit.c as a table, so that abi.c can pick the build for this processor.
#ifndef SL_KERNELS_H
#define SL_KERNELS_H

#include "../common/rng.h"
#include "learn.h"

typedef struct {
    void (*sample)(const float *outputs, int64_t stride, const uint8_t *masks, int64_t rows, int32_t actions,
                   uint64_t *state, int32_t *chosen, float *log_probs);
    void (*ppo)(const SlPpoBatch *batch, double *metrics);
} SlLearn;

#endif
