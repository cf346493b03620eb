// The loops behind learn.h, compiled once a CPU level. Rows are padded to blocks of 16 lanes, and sums run in
// 16 lanes side by side, so that the compiler may use vectors without changing the order of additions.
#include "kernels.h"

#include "../common/variant.h"

#define LANES 16
#define PADDED (SL_MOST_ACTIONS + LANES)
#define IMPOSSIBLE (-1e30f)         // the logit of an illegal action

// weight = exp(logit - top). Where a mask leaves nothing, all actions are as likely and nothing is learned of them.
typedef struct { float shifted[PADDED], weight[PADDED], sum, top; int none_legal; } Softmax;

static int blocks_of(int actions) { return (actions + LANES - 1) / LANES; }

static float lane_sum(const float *values, int blocks) {
    float lanes[LANES] = { 0 };
    for (int b = 0; b < blocks; b++)
        for (int l = 0; l < LANES; l++) lanes[l] += values[b * LANES + l];
    for (int width = LANES / 2; width; width /= 2)
        for (int l = 0; l < width; l++) lanes[l] += lanes[l + width];
    return lanes[0];
}

static float lane_max(const float *values, int blocks) {
    float lanes[LANES];
    for (int l = 0; l < LANES; l++) lanes[l] = values[l];
    for (int b = 1; b < blocks; b++)
        for (int l = 0; l < LANES; l++) lanes[l] = sl_max(lanes[l], values[b * LANES + l]);
    for (int width = LANES / 2; width; width /= 2)
        for (int l = 0; l < width; l++) lanes[l] = sl_max(lanes[l], lanes[l + width]);
    return lanes[0];
}

// weights[i] *= exp(x[i]). A loop of its own: with anything beside it, gcc makes branches instead of vectors.
static void scale_by_exp(const float *SL_RESTRICT x, float *SL_RESTRICT weights, int count) {
    for (int i = 0; i < count; i++) weights[i] *= sl_exp(x[i]);
}

static void softmax(const float *logits, const uint8_t *mask, int actions, Softmax *out) {
    int blocks = blocks_of(actions);
    for (int i = actions; i < blocks * LANES; i++) out->shifted[i] = IMPOSSIBLE;
    if (mask) for (int i = 0; i < actions; i++) out->shifted[i] = mask[i] ? logits[i] : IMPOSSIBLE;
    else sl_copy(out->shifted, logits, (size_t)actions * sizeof(float));
    out->top = lane_max(out->shifted, blocks);
    for (int i = 0; i < blocks * LANES; i++) out->weight[i] = out->shifted[i] > 0.5f * IMPOSSIBLE ? 1.0f : 0.0f;
    for (int i = 0; i < blocks * LANES; i++) out->shifted[i] = sl_max(out->shifted[i] - out->top, -80.0f);
    scale_by_exp(out->shifted, out->weight, blocks * LANES);
    out->sum = lane_sum(out->weight, blocks);
    out->none_legal = out->sum <= 0.0f;
    if (!out->none_legal) return;
    for (int i = 0; i < actions; i++) { out->shifted[i] = 0.0f; out->weight[i] = 1.0f; }
    out->sum = (float)actions;
}

// The first action whose running sum passes the target; whole blocks are skipped first.
static int pick(const Softmax *s, int actions, float target) {
    int blocks = blocks_of(actions), block = 0, last = 0;
    float running = 0.0f;
    for (; block < blocks - 1; block++) {
        float part = lane_sum(s->weight + block * LANES, 1);
        if (running + part > target) break;
        running += part;
    }
    for (int i = block * LANES; i < actions; i++) {
        if (s->weight[i] <= 0.0f) continue;
        last = i;
        running += s->weight[i];
        if (running > target) return i;
    }
    if (s->weight[last] > 0.0f) return last;
    for (last = actions - 1; last > 0 && s->weight[last] <= 0.0f; last--) {}   // rounding ate the rest: the last legal one
    return last;
}

static void sample(const float *outputs, int64_t stride, const uint8_t *masks, int64_t rows, int32_t actions,
                   uint64_t *state, int32_t *chosen, float *log_probs) {
    SlRng rng = { *state };
    Softmax s;
    for (int64_t row = 0; row < rows; row++) {
        softmax(outputs + row * stride, masks ? masks + row * actions : NULL, actions, &s);
        int action = pick(&s, actions, sl_uniform(&rng) * s.sum);
        chosen[row] = action;
        log_probs[row] = s.shifted[action] - sl_log(s.sum);
    }
    *state = rng.state;
}

// Gradient of the mean loss with respect to one row's logits and value.
static void ppo_row(const SlPpoBatch *b, int64_t row, float scale, double *metrics) {
    int actions = b->action_count, blocks = blocks_of(actions);
    const float *outputs = b->outputs + row * (actions + 1);
    float *gradient = b->gradients + row * (actions + 1);
    float product[PADDED];
    Softmax s;
    softmax(outputs, b->masks ? b->masks + row * actions : NULL, actions, &s);
    float log_sum = sl_log(s.sum), inverse = 1.0f / s.sum;
    for (int i = 0; i < blocks * LANES; i++) {
        s.weight[i] *= inverse;                             // now the probability
        product[i] = s.weight[i] * s.shifted[i];
    }
    float entropy = log_sum - lane_sum(product, blocks);
    float log_ratio = (s.shifted[b->actions[row]] - log_sum) - b->old_log_probs[row];
    float ratio = sl_exp(sl_clamp(log_ratio, -20.0f, 20.0f));
    float advantage = b->advantages[row];
    float unclipped = ratio * advantage;
    float clipped = sl_clamp(ratio, 1.0f - b->clip_range, 1.0f + b->clip_range) * advantage;
    float learns = s.none_legal ? 0.0f : scale;
    float policy_grad = unclipped <= clipped ? -(unclipped * learns) : 0.0f;    // d loss / d log-probability
    float entropy_grad = b->ent_coef * learns;
    for (int i = 0; i < actions; i++)
        gradient[i] = s.weight[i] * (entropy_grad * ((s.shifted[i] - log_sum) + entropy) - policy_grad);
    gradient[b->actions[row]] += policy_grad;
    float value_error = outputs[actions] - b->returns[row];
    gradient[actions] = (b->vf_coef * scale) * value_error;
    metrics[SL_POLICY_LOSS] -= (double)sl_min(unclipped, clipped);
    metrics[SL_VALUE_LOSS] += 0.5 * (double)(value_error * value_error);
    metrics[SL_ENTROPY] += (double)entropy;
    metrics[SL_APPROX_KL] += (double)((ratio - 1.0f) - log_ratio);
    metrics[SL_CLIP_FRACTION] += sl_abs(ratio - 1.0f) > b->clip_range ? 1.0 : 0.0;
}

static void ppo(const SlPpoBatch *batch, double *metrics) {
    float scale = 1.0f / (float)batch->rows;
    for (int64_t row = 0; row < batch->rows; row++) ppo_row(batch, row, scale, metrics);
}

const SlLearn SL_NAME(sl_learn) = { sample, ppo };
