// learn.c: checks the arguments of learn.h and calls the loops built for this processor.
#include "learn.h"

#include "../abi/registry.h"
#include "kernels.h"

extern const SlLearn sl_learn_base, sl_learn_v3, sl_learn_v4;

static const SlLearn *loops(void) {
#if defined(SL_LEVELS_BUILT)
    static const SlLearn *const built[SL_LEVELS] = { &sl_learn_base, &sl_learn_v3, &sl_learn_v4 };
    return built[sl_level_of_machine()];
#else
    return &sl_learn_base;
#endif
}

int sl_learn_sample(const float *outputs, int64_t stride, const uint8_t *masks, int64_t rows, int32_t action_count,
                    uint64_t *state, int32_t *actions, float *log_probs) {
    if (!outputs || !state || !actions || !log_probs || rows < 0) return SL_BAD_ARGUMENT;
    if (action_count < 1 || action_count > SL_MOST_ACTIONS || stride < action_count) return SL_BAD_ARGUMENT;
    loops()->sample(outputs, stride, masks, rows, action_count, state, actions, log_probs);
    return SL_OK;
}

int sl_learn_ppo(const SlPpoBatch *b, double *metrics) {
    if (!b || !metrics || !b->outputs || !b->actions || !b->old_log_probs || !b->advantages || !b->returns || !b->gradients)
        return SL_BAD_ARGUMENT;
    if (b->rows < 1 || b->action_count < 1 || b->action_count > SL_MOST_ACTIONS) return SL_BAD_ARGUMENT;
    for (int64_t row = 0; row < b->rows; row++)
        if (b->actions[row] < 0 || b->actions[row] >= b->action_count) return SL_BAD_ACTION;
    for (int i = 0; i < SL_PPO_METRICS; i++) metrics[i] = 0.0;
    loops()->ppo(b, metrics);
    return SL_OK;
}
