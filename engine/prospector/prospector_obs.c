// prospector_obs.c: what a pilot sees, 260 floats. Between steps the row stays with the caller, so a
// step writes the gauges and the market, and the rest only when it changed.

SL_FN void pr_write_ship(const ProspectorRules *r, const ProspectorWorld *w, float *obs) {
    float gauges[PR_LANES];
    sl_copy(gauges, &w->ship, sizeof gauges);
    for (int i = 0; i < PR_LANES; i++) obs[PR_OBS_SHIP + i] = gauges[i] / r->gauge_scale[i];
    obs[7] = sl_min(1.0f, obs[7]);
    for (int c = 0; c < PR_GOODS; c++) obs[PR_OBS_CARGO + c] = w->cargo[c] / PR_CARGO_MAX;
    obs[PR_OBS_SUPPLIES] = (float)w->kits / (float)PR_SUPPLY_MAX;
    obs[PR_OBS_SUPPLIES + 1] = (float)w->stabilizers / (float)PR_SUPPLY_MAX;
    obs[PR_OBS_SUPPLIES + 2] = (float)w->decoys / (float)PR_SUPPLY_MAX;
}
SL_STATIC_ASSERT(sizeof(PrShip) == PR_LANES * sizeof(float), "the gauges are one vector");

SL_FN void pr_write_edges(const ProspectorWorld *w, float *obs) {
    const PrNode *node = &w->nodes[w->node];
    sl_fill(obs + PR_OBS_EDGES, 0, PR_EDGES * PR_EDGE_FIELDS * sizeof *obs);
    for (int slot = 0; slot < node->edges; slot++) {
        float *out = obs + PR_OBS_EDGES + slot * PR_EDGE_FIELDS;
        out[0] = 1.0f;
        out[1 + w->nodes[node->neighbor[slot]].type] = 1.0f;
        out[4] = (float)node->ticks[slot] / 8.0f;
        out[5] = node->fuel[slot] / 160.0f;
        out[6] = node->threat_est[slot];
    }
}

SL_FN void pr_write_node(const ProspectorRules *r, const ProspectorWorld *w, float *obs) {
    const PrNode *node = &w->nodes[w->node];
    obs[PR_OBS_AT_STATION] = node->type == PR_STATION ? 1.0f : 0.0f;
    for (int type = 0; type < 3; type++) obs[PR_OBS_NODE_TYPE + type] = node->type == type ? 1.0f : 0.0f;
    obs[PR_OBS_NODE] = (float)w->node / 31.0f;
    obs[PR_OBS_HOPS] = (float)node->hops / 31.0f;
    obs[PR_OBS_WAY_HOME] = r->way_home_signal ? (float)(node->way_home + 1) / 6.0f : 0.0f;
}

SL_FN void pr_write_rock(const ProspectorWorld *w, int slot, float *obs) {
    const PrRocks *rocks = pr_rocks(w);
    float *out = obs + PR_OBS_ROCKS + slot * PR_ROCK_FIELDS;
    out[0] = 1.0f;
    for (int c = 0; c < PR_GOODS; c++) out[1 + c] = rocks->comp_est[c][slot];
    out[7] = rocks->stability_est[slot];
    out[8] = rocks->depletion[slot];
    out[9] = rocks->conf[slot];
    out[10] = slot == w->selected ? 1.0f : 0.0f;
}

SL_FN void pr_write_rocks(const ProspectorWorld *w, float *obs) {
    int count = w->nodes[w->node].rocks;
    for (int slot = 0; slot < count; slot++) pr_write_rock(w, slot, obs);
    sl_fill(obs + PR_OBS_ROCKS + count * PR_ROCK_FIELDS, 0, (PR_ROCKS - count) * PR_ROCK_FIELDS * sizeof *obs);
}

SL_FN void pr_write_selection(const ProspectorRules *r, const ProspectorWorld *w, float *obs) {
    int active = pr_selection_valid(w);
    obs[PR_OBS_MINING] = active ? 1.0f : 0.0f;
    obs[PR_OBS_RICHNESS] = active && r->richness_signal ? pr_rocks(w)->richness_est[w->selected] / 4.0f : 0.0f;
}

SL_FN void pr_write_market(const ProspectorRules *r, const ProspectorWorld *w, float *obs) {
    const PrMarket *m = &w->market;
    float price[PR_LANES], delta[PR_LANES], stock[PR_LANES];
    for (int c = 0; c < PR_LANES; c++) {
        price[c] = sl_min(1.0f, m->price[c] / r->price_scale[c]);
        delta[c] = sl_clamp((m->price[c] - m->previous[c]) / 100.0f, -1.0f, 1.0f);
        stock[c] = sl_min(1.0f, m->stock[c] / 500.0f);
    }
    sl_copy(obs + PR_OBS_PRICE, price, PR_GOODS * sizeof *obs);
    sl_copy(obs + PR_OBS_DELTA, delta, PR_GOODS * sizeof *obs);
    obs[PR_OBS_STOCK] = stock[PR_IRON];
    obs[PR_OBS_STOCK + 1] = stock[PR_WATER_ICE];
    obs[PR_OBS_STOCK + 2] = stock[PR_PGE];
    obs[PR_OBS_STOCK + 3] = stock[PR_RARE_ISOTOPES];
}

SL_FN void pr_move_selection(const ProspectorWorld *w, int from, float *obs) {
    float *flags = obs + PR_OBS_ROCKS + PR_ROCK_FIELDS - 1;
    if (from >= 0) flags[from * PR_ROCK_FIELDS] = 0.0f;
    flags[w->selected * PR_ROCK_FIELDS] = 1.0f;
}

SL_FN void pr_write(const ProspectorRules *r, const ProspectorWorld *w, const PrStep *step, float *obs) {
    int changed = step->changed;
    const int rocks = PR_CHANGED_NODE | PR_CHANGED_ROCKS | PR_CHANGED_SLOT | PR_CHANGED_SELECTION;
    pr_write_ship(r, w, obs);
    pr_write_market(r, w, obs);
    if (changed & PR_CHANGED_NODE) pr_write_node(r, w, obs);
    if (changed & (PR_CHANGED_NODE | PR_CHANGED_EDGES)) pr_write_edges(w, obs);
    if (changed & (PR_CHANGED_NODE | PR_CHANGED_ROCKS)) pr_write_rocks(w, obs);
    if (changed & PR_CHANGED_SLOT) pr_write_rock(w, w->selected, obs);
    if (changed & PR_CHANGED_SELECTION) pr_move_selection(w, step->unselected, obs);
    if (changed & rocks) pr_write_selection(r, w, obs);
}
