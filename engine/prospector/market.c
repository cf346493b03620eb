// market.c: prices that cycle, wander, jump and give way under sales. One lane a commodity; the two
// spare lanes have base 0 and stay 0, so every loop runs over a whole vector.

// The cycle's place in turns, exact: 48-bit counting instead of a float that grows with time.
SL_FN float pr_cycle_turns(uint64_t position) {
    return (float)(int32_t)((position >> 24) & 0xffffffu) * 5.9604644775390625e-8f;
}

SL_FN void pr_open_market(const ProspectorRules *r, ProspectorWorld *w) {
    PrMarket *m = &w->market;
    for (int c = 0; c < PR_GOODS; c++) {
        m->stock[c] = sl_uniform_in(&w->rng, r->stock_min, r->stock_max);
        m->phase[c] = sl_uniform(&w->rng);
        float period = sl_uniform_in(&w->rng, r->period_min, r->period_max);
        m->amplitude[c] = r->base[c] * sl_uniform_in(&w->rng, r->amplitude_min, r->amplitude_max);
        m->rate[c] = ((uint64_t)1 << 63) / (uint64_t)(period * 32768.0f);
        float price = sl_clamp(r->base[c] + m->amplitude[c] * sl_sin_turns(m->phase[c]), r->low[c], r->high[c]);
        if (r->glut > 0.0f) price = r->low[c] + (price - r->low[c]) * sl_exp(-r->glut * m->stock[c]);
        m->price[c] = m->previous[c] = price;
    }
}

// Six normals from twelve draws, turned into normals side by side; the last four of the block are not used.
SL_FN void pr_market_normals(const ProspectorRules *r, SlRng *rng, float *normal) {
    float u[2 * PR_LANES], radius[PR_LANES], angle[PR_LANES];
    SlRng ahead = *rng;
    pr_draw_blocks(r, &ahead, 2, u);
    sl_rng_skip(rng, r->market_jump);
    for (int c = 0; c < PR_LANES; c++) { radius[c] = u[2 * c]; angle[c] = u[2 * c + 1]; }
    for (int c = 0; c < PR_LANES; c++)
        normal[c] = sl_sqrt(-2.0f * sl_log(sl_max(radius[c], 1e-8f))) * sl_cos_turns(angle[c]);
}

SL_FN void pr_maybe_shock(const ProspectorRules *r, ProspectorWorld *w, int dt) {
    if (!(sl_uniform(&w->rng) < r->shock_chance[dt])) return;
    int c = sl_integer_in(&w->rng, 0, PR_GOODS - 1);
    float size = sl_uniform_in(&w->rng, r->shock_min, r->shock_max);
    float sign = sl_uniform(&w->rng) < 0.5f ? 1.0f : -1.0f;
    float jump = sign * ((r->price_noise_scale * size) * r->base[c]);
    w->market.shock[c] = w->market.shock[c] + jump;
    pr_event(w, PR_EVENT_PRICE_SPIKE, (float)c, jump, 0.0f, 0.0f);
}

SL_FN void pr_wander(const ProspectorRules *r, ProspectorWorld *w, int dt) {
    PrMarket *m = &w->market;
    float normal[PR_LANES];
    pr_market_normals(r, &w->rng, normal);
    float keep = r->noise_keep[dt], gain = r->noise_gain[dt], fade = r->shock_keep[dt];
    for (int c = 0; c < PR_LANES; c++) {
        m->noise[c] = keep * m->noise[c] + (gain * r->base[c]) * normal[c];
        m->shock[c] = fade * m->shock[c];
    }
    if (r->shock_rate > 0.0f) pr_maybe_shock(r, w, dt);
}

SL_FN void pr_price(const ProspectorRules *r, PrMarket *m) {
    float turns[PR_LANES];
    for (int c = 0; c < PR_LANES; c++) turns[c] = pr_cycle_turns(m->position[c]);
    for (int c = 0; c < PR_LANES; c++) {
        float wave = sl_sin_turns(turns[c] + m->phase[c]);
        float p = (r->base[c] + m->amplitude[c] * wave) - r->stock_slope * m->stock[c];
        p = ((p - r->sales_slope * m->recent[c]) + m->noise[c]) + m->shock[c];
        m->previous[c] = m->price[c];
        m->price[c] = sl_clamp(p, r->low[c], r->high[c]);
    }
    if (!(r->glut > 0.0f)) return;
    for (int c = 0; c < PR_LANES; c++)
        m->price[c] = r->low[c] + (m->price[c] - r->low[c]) * sl_exp(-r->glut * m->stock[c]);
}

SL_FN void pr_move_market(const ProspectorRules *r, ProspectorWorld *w, int dt) {
    PrMarket *m = &w->market;
    pr_wander(r, w, dt);
    for (int c = 0; c < PR_LANES; c++) m->position[c] += m->rate[c] * (uint32_t)dt;
    pr_price(r, m);
    float sales = r->sales_keep[dt], stock = r->stock_left[dt];
    for (int c = 0; c < PR_LANES; c++) {
        m->recent[c] = m->recent[c] * sales;
        m->stock[c] = m->stock[c] * stock;
    }
}

// ---- selling ----

// One price for all units, less a discount for size.
SL_FN float pr_proceeds_at_once(const ProspectorRules *r, float q, float price, float stock) {
    float share = q / sl_max(1.0f, stock + q);
    float slippage = r->price_impact_scale * (r->slippage_linear * share + r->slippage_root * sl_sqrt(share));
    return (q * price) * (1.0f - sl_min(r->slippage_max, slippage));
}

// Each unit at the price that the units before it have left: the integral of the stock curve.
SL_FN float pr_proceeds_along_curve(const ProspectorRules *r, float q, float price, float low) {
    if (!(r->glut > 0.0f)) return q * price;
    float above = (price - low) * ((1.0f - sl_exp(-r->glut * q)) / r->glut);
    return sl_min(q * price, q * low + above);
}

SL_FN float pr_proceeds(const ProspectorRules *r, const PrMarket *m, int c, float q) {
    return r->sell_along_curve ? pr_proceeds_along_curve(r, q, m->price[c], r->low[c])
                               : pr_proceeds_at_once(r, q, m->price[c], m->stock[c]);
}
