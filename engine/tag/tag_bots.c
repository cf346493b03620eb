// placeholder
#include "tag.h"
SL_FN void tag_bot_wander(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    float *out = (float *)action;
    (void)rules; (void)level; (void)observation; (void)mask; (void)memory;
    out[0] = 0.0f; out[1] = -1.0f; out[2] = 0.0f;
}
SL_HOST_TABLE SlBot TAG_BOTS[] = { { "wander", 3, "all", tag_bot_wander, "strolls about" } };
