// prospector.c: reset and step, as tables of contents. Every line of prospector_step is a rule that has
// its own place: actions.c, passive.c, market.c, prospector_obs.c.

// Nobody pays for cargo that went down with its ship.
SL_FN float pr_cargo_worth(const ProspectorRules *r, const ProspectorWorld *w) {
    if (r->reward_cargo == 0.0f || w->terminated) return 0.0f;
    const float *cargo = w->cargo, *base = r->base;
    return ((cargo[0] * base[0] + cargo[1] * base[1]) + (cargo[2] * base[2] + cargo[3] * base[3]))
         + (cargo[4] * base[4] + cargo[5] * base[5]);
}

SL_FN void pr_begin(const ProspectorRules *r, ProspectorWorld *w, PrStep *step) {
    sl_fill(step, 0, sizeof *step);
    step->fuel = w->ship.fuel;
    step->hull = w->ship.hull;
    step->tool = w->ship.tool;
    step->credits = w->credits;
    step->value = w->value;
    step->worth = pr_cargo_worth(r, w);
    w->event_count = 0;
}

SL_FN void pr_pass(const ProspectorRules *r, ProspectorWorld *w, PrStep *step) {
    pr_pass_time(r, w, step->dt);
    pr_overheat(r, w, step->dt);
    pr_suffer_node(r, w, step);
    pr_move_market(r, w, step->dt);
    pr_clamp(w, step);
    pr_count_load(w, step->dt);
    w->value = pr_cargo_value(w);
    if (w->credits != step->credits) w->ship.credits_log = sl_log(1.0f + sl_max(0.0f, w->credits));
}

// ---- endings ----

SL_FN int pr_is_stranded(const ProspectorRules *r, const ProspectorWorld *w) {
    float needed = r->fuel_required ? w->nodes[w->node].cheapest : 0.0f;
    return !pr_at_station(w) && w->ship.fuel <= needed;
}

SL_FN void pr_announce_ending(ProspectorWorld *w, int destroyed, int stranded) {
    if (destroyed) pr_event(w, PR_EVENT_DESTROYED, (float)w->node, 0.0f, 0.0f, 0.0f);
    if (stranded) pr_event(w, PR_EVENT_STRANDED, (float)w->node, w->ship.fuel, 0.0f, 0.0f);
    if (w->ending == PR_ENDED_CASH_OUT) pr_event(w, PR_EVENT_CASH_OUT, w->credits, 0.0f, 0.0f, 0.0f);
    if (w->ending == PR_ENDED_TIME) pr_event(w, PR_EVENT_TRUNCATED, w->credits, w->value, 0.0f, 0.0f);
}

// Also the reward's once-only terms, because both disasters may happen in one step.
SL_FN void pr_end(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    int destroyed = w->ship.hull <= 0.0f, stranded = pr_is_stranded(r, w);
    int cashed_out = step->valid && step->action == PR_CASH_OUT, late = w->ship.time_left <= 0.0f;
    w->ending = destroyed ? PR_ENDED_DESTROYED : stranded ? PR_ENDED_STRANDED : cashed_out ? PR_ENDED_CASH_OUT
              : late ? PR_ENDED_TIME : PR_RUNNING;
    w->terminated = destroyed | stranded | cashed_out;
    w->truncated = late & !w->terminated;
    w->terms[PR_TERM_STRANDED] = stranded ? -r->reward_stranded : 0.0f;
    w->terms[PR_TERM_DESTROYED] = destroyed ? -r->reward_destroyed : 0.0f;
    w->terms[PR_TERM_FINISH] = w->ending >= PR_ENDED_CASH_OUT ? r->reward_finish * (w->credits / 1000.0f) : 0.0f;
    if (w->ending != PR_RUNNING) pr_announce_ending(w, destroyed, stranded);
}

// ---- reward ----

// Squared, so that the last of it is the dearest.
SL_FN float pr_missing_hull(float hull) {
    float missing = 1.0f - hull / PR_GAUGE_MAX;
    return missing * missing;
}

SL_FN void pr_score_terms(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    float *term = w->terms;
    float gain = r->extract_new_units ? step->gain : sl_max(0.0f, w->value - step->value);
    float excess = sl_max(0.0f, w->ship.heat - r->heat_knee) / 100.0f;
    int scan = step->action >= PR_WIDE && step->action <= PR_DEEP;
    int charged = scan && (step->valid || r->charge_invalid_scans);
    term[PR_TERM_SELL] = r->reward_sell * ((w->credits - step->credits) / 1000.0f);
    term[PR_TERM_EXTRACT] = r->reward_extract * (gain / 1000.0f);
    term[PR_TERM_CARGO] = r->reward_cargo * ((pr_cargo_worth(r, w) - step->worth) / 1000.0f);
    term[PR_TERM_FUEL] = -r->reward_fuel * (sl_max(0.0f, step->fuel - w->ship.fuel) / 100.0f);
    term[PR_TERM_TIME] = -r->reward_time * (float)step->dt;
    term[PR_TERM_WEAR] = -r->reward_wear * (sl_max(0.0f, step->tool - w->ship.tool) / 10.0f);
    term[PR_TERM_DAMAGE] = -r->reward_damage * (sl_max(0.0f, step->hull - w->ship.hull) / 10.0f);
    term[PR_TERM_HEAT] = -r->reward_heat * (excess * excess);
    term[PR_TERM_SCAN] = charged ? -r->reward_scan : 0.0f;
    term[PR_TERM_INVALID] = step->valid ? 0.0f : -r->reward_invalid;
    term[PR_TERM_PIRATE] = -r->reward_pirate * (step->lost / 1000.0f);
    // never -0: states hash as without them
    term[PR_TERM_FRACTURE] = 0.0f - r->reward_fracture * step->broken;
    term[PR_TERM_HULL] = 0.0f - r->reward_hull * (pr_missing_hull(w->ship.hull) - pr_missing_hull(step->hull));
}

SL_FN float pr_score(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    pr_score_terms(r, w, step);
    float shaped = 0.0f;
    for (int i = 0; i < PR_TERMS; i++) shaped = shaped + w->terms[i];
    for (int i = 0; i < PR_TERMS; i++) w->sums[i] = w->sums[i] + w->terms[i];
    float sparse = (w->terms[PR_TERM_SELL] + w->terms[PR_TERM_STRANDED]) + w->terms[PR_TERM_DESTROYED];
    if (r->sparse_time) sparse = sparse + w->terms[PR_TERM_TIME];
    w->count.shaped += shaped;
    w->count.sparse += sparse;
    return r->reward == PR_SPARSE ? sparse : shaped;
}

SL_FN void pr_keep_books(ProspectorWorld *w, const PrStep *step) {
    w->count.fuel_used += sl_max(0.0f, step->fuel - w->ship.fuel);
    w->count.hull_damage += sl_max(0.0f, step->hull - w->ship.hull);
    w->count.tool_wear += sl_max(0.0f, step->tool - w->ship.tool);
    w->action = step->action;
    w->dt += step->dt;
    w->invalid = !step->valid;
}

// ---- reset, observe, step ----

// As after a trip, when everything must be written.
SL_FN PrStep pr_arrival(void) {
    PrStep step;
    sl_fill(&step, 0, sizeof step);
    step.changed = PR_CHANGED_NODE;
    return step;
}

SL_FN void prospector_reset(const ProspectorRules *r, ProspectorWorld *w, uint64_t seed) {
    PrStep arrival = pr_arrival();
    pr_generate(r, w, seed);
    pr_make_mask(r, w, &arrival);
}

SL_FN void prospector_observe(const ProspectorRules *r, const ProspectorWorld *w, const SlView *view) {
    PrStep arrival = pr_arrival();
    pr_write(r, w, &arrival, view->observations);
    if (view->masks) sl_copy(view->masks, w->mask, PR_ACTIONS);
}

// One action from beginning to end.
SL_FN float pr_do(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, int32_t asked, float *observations) {
    pr_begin(r, w, step);
    pr_act(r, w, step, asked);
    pr_pass(r, w, step);
    pr_end(r, w, step);
    float reward = pr_score(r, w, step);
    pr_keep_books(w, step);
    if (w->ship.fuel != step->fuel) step->changed |= PR_CHANGED_FUEL;
    pr_make_mask(r, w, step);
    pr_write(r, w, step, observations);
    return reward;
}

// A miner who need not look up goes on.
SL_FN int pr_goes_on(const ProspectorRules *r, const ProspectorWorld *w, const PrStep *step, float encounters) {
    int mining = step->valid && step->action >= PR_MINE && step->action < PR_STABILIZE;
    return mining && w->ending == PR_RUNNING && w->mask[step->action] && w->ship.heat <= r->heat_knee
        && w->count.encounters == encounters && step->poorer <= r->mine_doubt;
}

// Mining again and again is still one decision, with one reward and its parts.
SL_FN float pr_decide(const ProspectorRules *r, ProspectorWorld *w, int32_t asked, float *observations) {
    PrStep step;
    float terms[SL_COUNT(w->terms)], encounters = w->count.encounters;
    w->count.decisions += 1.0f;
    w->dt = 0;
    float reward = pr_do(r, w, &step, asked, observations);
    for (int n = 1; n < r->mine_repeat && pr_goes_on(r, w, &step, encounters); n++) {
        sl_copy(terms, w->terms, sizeof terms);
        reward = reward + pr_do(r, w, &step, asked, observations);
        for (int i = 0; i < PR_TERMS; i++) w->terms[i] = terms[i] + w->terms[i];
    }
    return reward;
}

SL_FN void prospector_step(const ProspectorRules *r, ProspectorWorld *w, const SlView *view) {
    *view->rewards = pr_decide(r, w, *(const int32_t *)view->actions, view->observations);
    if (view->masks) sl_copy(view->masks, w->mask, PR_ACTIONS);
    *view->terminated = (uint8_t)w->terminated;
    *view->truncated = (uint8_t)w->truncated;
    *view->ticks = w->dt;
}
