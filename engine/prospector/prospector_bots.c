// prospector_bots.c: scripted players.
SL_FN void pr_bot_do_nothing(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    (void)rules; (void)level; (void)obs; (void)mask; (void)memory;
    *(int32_t *)action = PR_HOLD;
}

SL_HOST_TABLE SlBot PR_BOTS[] = {
    { "do_nothing", 1, "all", pr_bot_do_nothing, "holds until time runs out" },
};
