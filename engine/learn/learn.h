// learn.h: the two inner loops of PPO that a tensor library does slowly on a CPU: sampling masked
// categorical actions, and the clipped loss with its gradient. Row by row, no temporaries of batch size.
// They are plain arithmetic with the same bits everywhere; src/sandlot/train has the same in PyTorch.
#ifndef SL_LEARN_H
#define SL_LEARN_H

#include "../abi/sandlot.h"

#define SL_MOST_ACTIONS 256

// One minibatch. `outputs` holds a row's logits and then its value: [rows, actions + 1].
typedef struct {
    const float *outputs;
    const uint8_t *masks;           // [rows, actions], null when everything is legal
    const int32_t *actions;         // [rows]
    const float *old_log_probs;     // [rows] when the action was sampled
    const float *advantages;        // [rows] normalized
    const float *returns;           // [rows] targets of the value
    float *gradients;               // [rows, actions + 1] of the mean loss
    int64_t rows;
    int32_t action_count;
    float clip_range, vf_coef, ent_coef;
} SlPpoBatch;

typedef enum { SL_POLICY_LOSS, SL_VALUE_LOSS, SL_ENTROPY, SL_APPROX_KL, SL_CLIP_FRACTION, SL_PPO_METRICS } SlPpoMetric;

// Samples one action per row and its log-probability. `state` is a PCG32 state that advances by one draw per row.
SL_API int sl_learn_sample(const float *outputs, int64_t stride, const uint8_t *masks, int64_t rows, int32_t action_count,
                           uint64_t *state, int32_t *actions, float *log_probs);

// Writes the gradient and the sums (not means) of the five metrics.
SL_API int sl_learn_ppo(const SlPpoBatch *batch, double *metrics);

#endif
