// prospector.c: reset and step, as tables of contents. Every line of prospector_step is a rule that has
// its own place: actions.c, passive.c, market.c, prospector_obs.c.

SL_FN void pr_begin(ProspectorWorld *w, PrStep *step) {
    sl_fill(step, 0, sizeof *step);
    step->fuel = w->ship.fuel;
    step->hull = w->ship.hull;
    step->tool = w->ship.tool;
    step->credits = w->credits;
    step->value = w->value;
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

SL_FN void pr_score_terms(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    float *term = w->terms;
    float gain = r->extract_new_units ? step->gain : sl_max(0.0f, w->value - step->value);
    float excess = sl_max(0.0f, w->ship.heat - r->heat_knee) / 100.0f;
    int scan = step->action >= PR_WIDE && step->action <= PR_DEEP;
    int charged = scan && (step->valid || r->charge_invalid_scans);
    term[PR_TERM_SELL] = r->reward_sell * ((w->credits - step->credits) / 1000.0f);
    term[PR_TERM_EXTRACT] = r->reward_extract * (gain / 1000.0f);
    term[PR_TERM_FUEL] = -r->reward_fuel * (sl_max(0.0f, step->fuel - w->ship.fuel) / 100.0f);
    term[PR_TERM_TIME] = -r->reward_time * (float)step->dt;
    term[PR_TERM_WEAR] = -r->reward_wear * (sl_max(0.0f, step->tool - w->ship.tool) / 10.0f);
    term[PR_TERM_DAMAGE] = -r->reward_damage * (sl_max(0.0f, step->hull - w->ship.hull) / 10.0f);
    term[PR_TERM_HEAT] = -r->reward_heat * (excess * excess);
    term[PR_TERM_SCAN] = charged ? -r->reward_scan : 0.0f;
    term[PR_TERM_INVALID] = step->valid ? 0.0f : -r->reward_invalid;
    term[PR_TERM_PIRATE] = -r->reward_pirate * (step->lost / 1000.0f);
}

SL_FN float pr_score(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    pr_score_terms(r, w, step);
    float shaped = 0.0f;
    for (int i = 0; i < PR_TERMS; i++) shaped = shaped + w->terms[i];
    for (int i = 0; i < 16; i++) w->sums[i] = w->sums[i] + w->terms[i];
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
    w->count.decisions += 1.0f;
    w->action = step->action;
    w->dt = step->dt;
    w->invalid = !step->valid;
}

// ---- the three doors ----

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

SL_FN void prospector_step(const ProspectorRules *r, ProspectorWorld *w, const SlView *view) {
    PrStep step;
    pr_begin(w, &step);
    pr_act(r, w, &step, *(const int32_t *)view->actions);
    pr_pass(r, w, &step);
    pr_end(r, w, &step);
    *view->rewards = pr_score(r, w, &step);
    pr_keep_books(w, &step);
    if (w->ship.fuel != step.fuel) step.changed |= PR_CHANGED_FUEL;
    pr_make_mask(r, w, &step);
    pr_write(r, w, &step, view->observations);
    if (view->masks) sl_copy(view->masks, w->mask, PR_ACTIONS);
    *view->terminated = (uint8_t)w->terminated;
    *view->truncated = (uint8_t)w->truncated;
    *view->ticks = step.dt;
}
