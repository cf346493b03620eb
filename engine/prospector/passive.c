// passive.c: what happens to the ship by itself while an action's ticks pass, in the order of the rules.

// ---- pirates ----

SL_FN float pr_pirate_chance(const ProspectorRules *r, const ProspectorWorld *w, float intensity, int dt) {
    float logit = (r->pirates_base + r->pirates_intensity * intensity)
                + r->pirates_alert * sl_clamp(w->ship.alert / PR_GAUGE_MAX, 0.0f, 1.0f);
    logit = logit + r->pirates_cargo * sl_log(1.0f + w->value / 1000.0f);
    if (w->escape > 0) logit = logit - r->pirates_escape;
    float calm = 1.0f - sl_logistic(logit), all_calm = 1.0f;
    for (int tick = 0; tick < dt; tick++) all_calm = all_calm * calm;
    return r->pirate_scale * (1.0f - all_calm);
}

SL_FN void pr_lose_cargo(ProspectorWorld *w, PrStep *step, float share) {
    float before = w->value;
    for (int c = 0; c < PR_LANES; c++) w->cargo[c] = w->cargo[c] * (1.0f - share);
    pr_weigh(w);
    step->changed |= PR_CHANGED_CARGO;
    step->lost = step->lost + (before - w->value);
    w->count.value_lost += before - w->value;
}

SL_FN void pr_meet_pirates(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, float intensity) {
    if (!(sl_uniform(&w->rng) < pr_pirate_chance(r, w, intensity, step->dt))) return;
    float share = sl_uniform_in(&w->rng, r->pirates_loss_min, r->pirates_loss_max);
    int decoyed = w->decoys > 0 && sl_uniform(&w->rng) < r->decoy_chance;
    float damage = sl_uniform_in(&w->rng, r->pirates_hull_min, r->pirates_hull_max);
    if (decoyed) {
        w->decoys--;
        share = share * r->decoy_loss;
        damage = damage * r->decoy_hull;
    }
    float lost_before = step->lost;
    pr_lose_cargo(w, step, share);
    w->ship.hull = w->ship.hull - damage;
    w->ship.alert = w->ship.alert + r->pirates_raise_alert;
    w->count.encounters += 1.0f;
    pr_event(w, PR_EVENT_PIRATES, share, step->lost - lost_before, damage, (float)decoyed);
}

// ---- exposure: dust, radiation and debris, on an edge or at a node ----

SL_FN void pr_expose(const ProspectorRules *r, ProspectorWorld *w, float danger, int dt, float spread) {
    float x = (float)dt * danger;
    float factor = sl_uniform_in(&w->rng, 1.0f - spread, 1.0f + spread);
    w->ship.hull = w->ship.hull - (x * r->exposure_hull) * factor;
    w->ship.heat = w->ship.heat + x * r->exposure_heat;
    w->ship.alert = w->ship.alert + x * r->exposure_alert;
}

SL_FN void pr_suffer_node(const ProspectorRules *r, ProspectorWorld *w, PrStep *step) {
    int arriving = step->valid && step->action < PR_HOLD;
    if (pr_at_station(w) || (arriving && !r->exposed_on_arrival)) return;
    const PrNode *node = &w->nodes[w->node];
    float hazard = r->hazard_scale * node->hazard;
    if (hazard > 0.0f) pr_expose(r, w, hazard, step->dt, r->node_hull_spread);
    pr_meet_pirates(r, w, step, node->pirates);
}

// ---- time, heat, timers ----

SL_FN void pr_count_down_slots(ProspectorWorld *w, int dt) {
    int left = 0;
    for (int slot = 0; slot < PR_ROCKS; slot++) {
        w->steady[slot] = sl_imax(0, w->steady[slot] - dt);
        left |= w->steady[slot];
    }
    w->steady_slots = left != 0;
}

SL_FN void pr_pass_time(const ProspectorRules *r, ProspectorWorld *w, int dt) {
    float n = (float)dt;
    w->ticks += dt;
    w->ship.time_left = w->ship.time_left - n;
    w->ship.heat = sl_max(0.0f, w->ship.heat - r->heat_dissipation * n);
    w->ship.alert = sl_max(0.0f, w->ship.alert - r->alert_decay * n);
    w->escape = sl_imax(0, w->escape - dt);
    if (w->steady_slots) pr_count_down_slots(w, dt);
}

SL_FN void pr_overheat(const ProspectorRules *r, ProspectorWorld *w, int dt) {
    if (!(w->ship.heat > PR_GAUGE_MAX)) return;
    float overflow = w->ship.heat - PR_GAUGE_MAX, damage = r->overheat_hull * overflow;
    w->ship.hull = w->ship.hull - damage;
    w->ship.heat = PR_GAUGE_MAX;
    w->count.overheat_ticks += (float)dt;
    pr_event(w, PR_EVENT_OVERHEAT, overflow, damage, 0.0f, 0.0f);
}

// ---- ranges ----

// Scaled to a hair below full, so that rounding cannot leave it above and a second clamp changes nothing.
SL_FN void pr_clamp_cargo(ProspectorWorld *w) {
    for (int c = 0; c < PR_LANES; c++) w->cargo[c] = sl_clamp(w->cargo[c], 0.0f, PR_CARGO_MAX);
    float total = pr_sum6(w->cargo);
    if (total > PR_CARGO_MAX) {
        float scale = 199.9999f / total;
        for (int c = 0; c < PR_LANES; c++) w->cargo[c] = w->cargo[c] * scale;
        total = pr_sum6(w->cargo);
    }
    w->ship.total = total;
}

SL_FN void pr_clamp(ProspectorWorld *w, const PrStep *step) {
    PrShip *ship = &w->ship;
    ship->fuel = sl_clamp(ship->fuel, 0.0f, PR_FUEL_MAX);
    ship->hull = sl_clamp(ship->hull, 0.0f, PR_GAUGE_MAX);
    ship->heat = sl_clamp(ship->heat, 0.0f, PR_GAUGE_MAX);
    ship->tool = sl_clamp(ship->tool, 0.0f, PR_GAUGE_MAX);
    ship->alert = sl_clamp(ship->alert, 0.0f, PR_GAUGE_MAX);
    ship->time_left = sl_max(0.0f, ship->time_left);
    if (step->changed & PR_CHANGED_CARGO) pr_clamp_cargo(w);
}

SL_FN void pr_count_load(ProspectorWorld *w, int dt) {
    w->count.load_sum += (float)dt * (w->ship.total / PR_CARGO_MAX);
    w->count.load_weight += (float)dt;
}
