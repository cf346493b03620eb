// actions.c: 69 actions in 21 kinds. A row of rules->rows tells an action's kind, ticks and costs;
// here is what each kind does, and when it is valid. Validity lives in the world's mask, which is made
// again after every step: the mask that the policy gets is what the rules check.

// ---- validity ----

SL_FN float pr_trip_factor(const ProspectorRules *r, const ProspectorWorld *w) {
    return 1.0f + r->load_fuel * (w->ship.total / PR_CARGO_MAX);
}

SL_FN void pr_mask_travel(const ProspectorRules *r, ProspectorWorld *w) {
    const PrNode *node = &w->nodes[w->node];
    float factor = pr_trip_factor(r, w), fuel = r->fuel_required ? w->ship.fuel : 1e9f;
    uint8_t open[PR_EDGES];
    for (int slot = 0; slot < PR_EDGES; slot++)
        open[slot] = (uint8_t)((slot < node->edges) & (fuel > node->fuel[slot] * factor));
    sl_copy(w->mask + PR_TRAVEL, open, sizeof open);
}

SL_FN void pr_mask_all_rocks(const ProspectorRules *r, ProspectorWorld *w) {
    int count = w->nodes[w->node].rocks, taken = r->useless_is_invalid ? w->selected : -1;
    const float *depletion = pr_rocks(w)->depletion;
    for (int slot = 0; slot < PR_ROCKS; slot++)
        w->mask[PR_SELECT + slot] = (uint8_t)((slot < count) & (depletion[slot] < 1.0f) & (slot != taken));
}

// A rock that exists; only its depletion and the selection can change while the ship stays.
SL_FN void pr_mask_rock(const ProspectorRules *r, ProspectorWorld *w, int slot) {
    int taken = r->useless_is_invalid & (slot == w->selected);
    w->mask[PR_SELECT + slot] = (uint8_t)(!taken & (pr_rocks(w)->depletion[slot] < 1.0f));
}

SL_FN void pr_mask_rocks(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    if (step->changed & PR_CHANGED_NODE) { pr_mask_all_rocks(r, w); return; }
    if (step->changed & (PR_CHANGED_SLOT | PR_CHANGED_SELECTION)) pr_mask_rock(r, w, w->selected);
    if (step->changed & PR_CHANGED_SELECTION && step->unselected >= 0) pr_mask_rock(r, w, step->unselected);
}

// With nothing aboard these are useless, which is valid in a lenient profile.
SL_FN void pr_mask_goods(const ProspectorRules *r, ProspectorWorld *w) {
    uint8_t drop[PR_GOODS], sell[3 * PR_GOODS];
    int station = pr_at_station(w), lenient = !r->useless_is_invalid, drops_nothing = !r->jettison_needs_cargo;
    for (int c = 0; c < PR_GOODS; c++) {
        int aboard = w->cargo[c] >= r->trace_units;
        drop[c] = (uint8_t)(aboard | drops_nothing);
        sell[3 * c] = sell[3 * c + 1] = sell[3 * c + 2] = (uint8_t)(station & (aboard | lenient));
    }
    sl_copy(w->mask + PR_JETTISON, drop, sizeof drop);
    sl_copy(w->mask + PR_SELL, sell, sizeof sell);
}

SL_FN int pr_refinable(const ProspectorRules *r, const ProspectorWorld *w) {
    float ore = w->cargo[PR_IRON] + w->cargo[PR_NICKEL];
    if (r->refine_rule == PR_DENSIFY) ore = ore + w->cargo[PR_WATER_ICE];
    if (r->useless_is_invalid && ore < r->trace_units) return 0;
    return r->refine_at_station || !pr_at_station(w);
}

// Built beside the world and copied: a byte stored into the world might, for all a compiler knows, change
// any rule, and it would read them all again.
SL_FN void pr_mask_work(const ProspectorRules *r, ProspectorWorld *w) {
    float fuel = r->fuel_required ? w->ship.fuel : 1e9f, heat = w->ship.heat, tool = w->ship.tool, hull = w->ship.hull;
    int lenient = !r->useless_is_invalid, target = pr_selection_valid(w), kit = w->kits > 0;
    int room = lenient | (PR_CARGO_MAX - w->ship.total >= r->trace_units);
    uint8_t near[] = {          // hold, burn, wide, focused, deep, listen
        1, (uint8_t)(fuel > r->burn_fuel), (uint8_t)((fuel > r->wide_fuel) & (lenient | !pr_at_station(w))),
        (uint8_t)(target & (fuel > r->focused_fuel)), (uint8_t)(target & (fuel > r->deep_fuel)), 1,
    };
    uint8_t work[] = {          // three ways of mining, stabilise, refine, cool down, maintain, patch
        (uint8_t)(target & room), (uint8_t)(target & room), (uint8_t)(target & room), (uint8_t)(target & (w->stabilizers > 0)),
        (uint8_t)((fuel > r->refine_fuel) & pr_refinable(r, w)), (uint8_t)((fuel > r->cooldown_fuel) & (lenient | (heat > 0.0f))),
        (uint8_t)(kit & (lenient | (tool < PR_GAUGE_MAX))), (uint8_t)(kit & (lenient | (hull < PR_GAUGE_MAX))),
    };
    sl_copy(w->mask + PR_HOLD, near, sizeof near);
    sl_copy(w->mask + PR_MINE, work, sizeof work);
}

SL_FN void pr_mask_port(const ProspectorRules *r, ProspectorWorld *w) {
    uint8_t *mask = w->mask;
    int lenient = !r->useless_is_invalid, ahead = (!r->cash_out_needs_profit) | (w->credits > w->start_credits);
    if (!pr_at_station(w)) {
        mask[PR_DOCK] = 0;
        sl_fill(mask + PR_FUEL, 0, PR_CASH_OUT - PR_FUEL);
        mask[PR_CASH_OUT] = (uint8_t)((!r->cash_out_at_station) & ahead);
        return;
    }
    int thirsty = lenient | (w->ship.fuel < PR_FUEL_MAX);
    int worn = lenient | (w->ship.hull < PR_GAUGE_MAX) | (w->ship.tool < PR_GAUGE_MAX);
    mask[PR_DOCK] = (uint8_t)((!r->dock_once) | ((!w->docked) & (w->ship.alert > 0.0f)));
    mask[PR_FUEL] = (uint8_t)(thirsty & (w->credits >= r->fuel_small_price));
    mask[PR_FUEL + 1] = (uint8_t)(thirsty & (w->credits >= r->fuel_medium_price));
    mask[PR_FUEL + 2] = (uint8_t)(thirsty & (w->credits >= r->fuel_large_price));
    mask[PR_KIT] = (uint8_t)((w->kits < PR_SUPPLY_MAX) & (w->credits >= r->kit_price));
    mask[PR_STABILIZER] = (uint8_t)((w->stabilizers < PR_SUPPLY_MAX) & (w->credits >= r->stabilizer_price));
    mask[PR_DECOY] = (uint8_t)((w->decoys < PR_SUPPLY_MAX) & (w->credits >= r->decoy_price));
    mask[PR_OVERHAUL] = (uint8_t)(worn & (w->credits >= r->overhaul_price));
    mask[PR_CASH_OUT] = (uint8_t)ahead;
}

// Only what the step may have changed; a change of node makes it whole.
SL_FN void pr_make_mask(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    int changed = step->changed;
    pr_mask_rocks(r, w, step);
    if (changed & (PR_CHANGED_NODE | PR_CHANGED_CARGO)) pr_mask_goods(r, w);
    if (changed & (PR_CHANGED_NODE | PR_CHANGED_CARGO | PR_CHANGED_FUEL)) pr_mask_travel(r, w);
    if ((changed & PR_CHANGED_NODE) || pr_at_station(w)) pr_mask_port(r, w);
    pr_mask_work(r, w);
}

// ---- moving ----

SL_FN void pr_take_hold_effect(const ProspectorRules *r, ProspectorWorld *w) {
    w->ship.alert = sl_max(0.0f, w->ship.alert - r->hold_alert);
    w->ship.heat = sl_max(0.0f, w->ship.heat - r->hold_heat);
}

SL_FN void pr_charge(ProspectorWorld *w, const PrRow *row) {
    w->ship.fuel = w->ship.fuel - row->fuel;
    w->ship.heat = w->ship.heat + row->heat;
    w->ship.alert = w->ship.alert + row->alert;
}

SL_FN void pr_arrive(const ProspectorRules *r, ProspectorWorld *w, int index) {
    pr_enter(r, w, index);
    w->selected = -1;
    w->docked = 0;
    if (r->timers_cleared_by_travel && w->steady_slots) {
        sl_fill(w->steady, 0, sizeof w->steady);
        w->steady_slots = 0;
    }
    if (index != 0) return;
    w->count.arrivals += 1.0f;
    w->count.arrival_load += w->ship.total / PR_CARGO_MAX;
}

SL_FN void pr_travel(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, int slot) {
    const PrNode *from = &w->nodes[w->node];
    float threat = from->threat[slot];
    step->dt = from->ticks[slot];
    step->changed |= PR_CHANGED_NODE;
    w->ship.fuel = w->ship.fuel - from->fuel[slot] * pr_trip_factor(r, w);
    pr_arrive(r, w, from->neighbor[slot]);
    pr_expose(r, w, r->hazard_scale * threat, step->dt, r->edge_hull_spread);
    if (!pr_at_station(w) || r->edge_pirates_everywhere) pr_meet_pirates(r, w, step, threat);
}

// A timer that starts in the next step is longer by the ticks of the action that sets it.
SL_FN int pr_timer(const ProspectorRules *r, const PrStep *step, int ticks) {
    return ticks + (r->timers_start_next_step ? step->dt : 0);
}

SL_FN void pr_burn(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step, const PrRow *row) {
    pr_charge(w, row);
    w->escape = sl_imax(w->escape, pr_timer(r, step, r->burn_escape_ticks));
}

// ---- sensing ----

#define PR_SCAN_KINDS 8         // normals of a rock: six shares, stability, richness if it is read

// Normals one after the other, `kinds` a rock; a pair of draws each.
SL_FN void pr_scan_noise(const ProspectorRules *r, SlRng *rng, int normals, float *out) {
    float u[2 * PR_SCAN_KINDS * PR_ROCKS + PR_LANES], radius[PR_SCAN_KINDS * PR_ROCKS], angle[PR_SCAN_KINDS * PR_ROCKS];
    SlRng ahead = *rng;
    int draws = 2 * normals, whole = draws / PR_LANES;
    pr_draw_blocks(r, rng, whole, u);
    ahead = *rng;
    pr_draw_blocks(r, &ahead, 1, u + whole * PR_LANES);
    sl_rng_skip(rng, r->lanes[draws - whole * PR_LANES]);
    int lanes = (normals + PR_LANES - 1) / PR_LANES * PR_LANES;
    for (int i = normals; i < lanes; i++) u[2 * i] = u[2 * i + 1] = 0.5f;
    for (int i = 0; i < lanes; i++) { radius[i] = u[2 * i]; angle[i] = u[2 * i + 1]; }
    for (int i = 0; i < lanes; i++)
        out[i] = sl_sqrt(-2.0f * sl_log(sl_max(radius[i], 1e-8f))) * sl_cos_turns(angle[i]);
}

SL_FN void pr_update_estimate(const ProspectorRules *r, PrRocks *rocks, const PrScan *scan, int s, const float *normal) {
    float width = ((rocks->noise[s] * (1.1f - rocks->conf[s])) * scan->noise) * r->scan_noise_scale;
    float old = 1.0f - scan->blend, blend = scan->blend, reading[PR_GOODS], estimate[PR_GOODS];
    for (int c = 0; c < PR_GOODS; c++) reading[c] = sl_max(1e-8f, rocks->true_comp[c][s] + width * normal[c]);
    float sum = pr_sum6(reading);
    for (int c = 0; c < PR_GOODS; c++) estimate[c] = old * rocks->comp_est[c][s] + blend * (reading[c] / sum);
    sum = pr_sum6(estimate);
    for (int c = 0; c < PR_GOODS; c++) rocks->comp_est[c][s] = estimate[c] / sum;
    float stability = sl_clamp(rocks->stability[s] + width * normal[6], 0.0f, 1.0f);
    rocks->stability_est[s] = old * rocks->stability_est[s] + blend * stability;
    rocks->conf[s] = sl_min(1.0f, rocks->conf[s] + scan->gain);
    if (!r->richness_signal) return;
    float richness = rocks->richness[s] * (1.0f + (r->richness_noise * width) * normal[7]);
    richness = sl_clamp(richness, r->richness_min, r->richness_max);
    rocks->richness_est[s] = old * rocks->richness_est[s] + blend * richness;
}

SL_FN void pr_scan(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, const PrRow *row) {
    int kind = row->kind - PR_WIDE, wide = kind == 0;
    int first = wide ? 0 : w->selected, end = wide ? w->nodes[w->node].rocks : w->selected + 1;
    int kinds = PR_SCAN_KINDS - !r->richness_signal;
    float normal[PR_SCAN_KINDS * PR_ROCKS];
    pr_charge(w, row);
    w->count.scans += 1.0f;
    step->changed |= wide ? PR_CHANGED_ROCKS : PR_CHANGED_SLOT;
    pr_event(w, PR_EVENT_SCAN, (float)kind, (float)w->selected, (float)(end - first), 0.0f);
    if (end <= first) return;
    pr_scan_noise(r, &w->rng, kinds * (end - first), normal);
    for (int s = first; s < end; s++)
        pr_update_estimate(r, pr_rocks_to_change(w), &r->scans[kind], s, normal + (s - first) * kinds);
}

SL_FN void pr_listen(const ProspectorRules *r, ProspectorWorld *w, PrStep *step) {
    PrNode *node = &w->nodes[w->node];
    for (int slot = 0; slot < node->edges; slot++) {
        float reading = sl_clamp(node->threat[slot] + r->listen_sd * sl_normal(&w->rng), 0.0f, 1.0f);
        node->threat_est[slot] = (1.0f - r->listen_blend) * node->threat_est[slot] + r->listen_blend * reading;
    }
    step->changed |= PR_CHANGED_EDGES;
    pr_event(w, PR_EVENT_SCAN, 3.0f, -1.0f, (float)node->edges, 0.0f);
}

// ---- mining ----

SL_FN float pr_heat_efficiency(const ProspectorRules *r, float heat) {
    if (!(heat > r->heat_knee)) return 1.0f;
    return sl_max(r->heat_floor, 1.0f - (heat - r->heat_knee) / (PR_GAUGE_MAX - r->heat_knee));
}

SL_FN float pr_tool_efficiency(const ProspectorRules *r, float tool) {
    return r->tool_floor + (1.0f - r->tool_floor) * (tool / PR_GAUGE_MAX);
}

SL_FN float pr_fracture_chance(const ProspectorRules *r, const PrMode *mode, float stability, float heat, float tool,
                               float depletion, int steady) {
    float logit = (r->fracture_base + mode->fracture) + r->fracture_stability * (1.0f - stability);
    logit = logit + r->fracture_heat * sl_max(0.0f, heat / PR_GAUGE_MAX - r->heat_knee / PR_GAUGE_MAX);
    logit = logit + r->fracture_tool * (1.0f - tool / PR_GAUGE_MAX);
    logit = logit + r->fracture_depletion * (depletion * depletion);
    if (steady) logit = logit - r->fracture_stabilized;
    return r->fracture_scale * sl_logistic(logit);
}

SL_FN void pr_fracture(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, PrRocks *rocks, int slot) {
    PrNode *node = &w->nodes[w->node];
    float damage = r->fracture_hull * sl_uniform_in(&w->rng, r->fracture_hull_low, 1.0f);
    w->ship.hull = w->ship.hull - damage;
    step->broken = (rocks->richness[slot] * (1.0f - rocks->depletion[slot])) * (w->ship.time_left / (float)r->time_max);
    rocks->depletion[slot] = 1.0f;
    node->hazard = sl_min(1.0f, node->hazard + r->fracture_hazard);
    w->count.fractures += 1.0f;
    pr_event(w, PR_EVENT_FRACTURE, (float)slot, damage, node->hazard, 0.0f);
}

SL_FN void pr_load_ore(ProspectorWorld *w, PrStep *step, const PrRocks *rocks, int slot, float loaded) {
    float parts[PR_GOODS];
    for (int c = 0; c < PR_GOODS; c++) {
        float part = loaded * rocks->true_comp[c][slot];
        w->cargo[c] = w->cargo[c] + part;
        parts[c] = part * w->market.price[c];
    }
    step->gain = pr_sum6(parts);
    w->count.mined_units += loaded;
    w->count.mined_value += step->gain;
    pr_weigh(w);
}

// What a rock yields tells how rich it is: whoever does not scan can still try one and leave a poor one.
SL_FN void pr_learn_richness(const ProspectorRules *r, PrStep *step, PrRocks *rocks, int slot) {
    float known = rocks->richness_est[slot];
    rocks->richness_est[slot] = known + r->mining_reveals * (rocks->richness[slot] - known);
    step->poorer = known - rocks->richness_est[slot];
}

SL_FN void pr_mine(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, const PrRow *row) {
    const PrMode *mode = &r->modes[row->index];
    PrRocks *rocks = pr_rocks_to_change(w);
    int slot = w->selected;
    float heat = w->ship.heat, tool = w->ship.tool, depletion = rocks->depletion[slot];
    float units = ((rocks->richness[slot] * (1.0f - depletion)) * pr_tool_efficiency(r, tool)) * pr_heat_efficiency(r, heat);
    units = (units * mode->yield) * sl_exp(mode->sd * sl_normal(&w->rng));
    float loaded = sl_min(units, sl_max(0.0f, PR_CARGO_MAX - w->ship.total));
    pr_load_ore(w, step, rocks, slot, loaded);
    pr_learn_richness(r, step, rocks, slot);
    rocks->depletion[slot] = depletion = sl_min(1.0f, depletion + r->depletion_per_unit * loaded);
    float chance = pr_fracture_chance(r, mode, rocks->stability[slot], heat, tool, depletion, w->steady[slot] > 0);
    if (sl_uniform(&w->rng) < chance) pr_fracture(r, w, step, rocks, slot);
    pr_charge(w, row);
    w->ship.tool = w->ship.tool - mode->wear;
    w->count.mining_ticks += 1.0f;
    step->changed |= PR_CHANGED_SLOT | PR_CHANGED_CARGO;
}

// ---- other work aboard ----

SL_FN void pr_select(ProspectorWorld *w, PrStep *step, int slot) {
    step->unselected = w->selected;
    w->selected = slot;
    step->changed |= PR_CHANGED_SELECTION;
}

SL_FN void pr_stabilize(const ProspectorRules *r, ProspectorWorld *w, const PrStep *step) {
    w->stabilizers--;
    w->steady[w->selected] = pr_timer(r, step, r->stabilize_buff_ticks);
    w->steady_slots = 1;
}

// Ores into what is worth more per unit of hold; the prices of before decide what the step has won.
SL_FN void pr_refine(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, const PrRow *row) {
    const float *p = w->market.price;
    float iron = r->refine_share * w->cargo[PR_IRON], nickel = r->refine_share * w->cargo[PR_NICKEL];
    float ice = r->refine_rule == PR_DENSIFY ? r->refine_share * w->cargo[PR_WATER_ICE] : 0.0f;
    float made, taken = (iron * p[PR_IRON] + nickel * p[PR_NICKEL]) + ice * p[PR_WATER_ICE];
    pr_charge(w, row);
    w->cargo[PR_IRON] = w->cargo[PR_IRON] - iron;
    w->cargo[PR_NICKEL] = w->cargo[PR_NICKEL] - nickel;
    if (r->refine_rule == PR_DENSIFY) {
        float metal = r->iron_yield * iron + r->nickel_yield * nickel, gas = r->ice_yield * ice;
        w->cargo[PR_WATER_ICE] = w->cargo[PR_WATER_ICE] - ice;
        w->cargo[PR_PGE] = w->cargo[PR_PGE] + metal;
        w->cargo[PR_VOLATILES] = w->cargo[PR_VOLATILES] + gas;
        made = metal * p[PR_PGE] + gas * p[PR_VOLATILES];
    } else {
        float isotopes = r->refine_yield * (iron + nickel);
        w->cargo[PR_RARE_ISOTOPES] = w->cargo[PR_RARE_ISOTOPES] + isotopes;
        made = isotopes * p[PR_RARE_ISOTOPES];
    }
    step->gain = sl_max(0.0f, made - taken);
    step->changed |= PR_CHANGED_CARGO;
    pr_weigh(w);
    pr_event(w, PR_EVENT_REFINE, taken, made, (iron + nickel) + ice, 0.0f);
}

SL_FN void pr_cool_down(const ProspectorRules *r, ProspectorWorld *w, const PrRow *row) {
    pr_charge(w, row);
    w->ship.heat = sl_max(0.0f, w->ship.heat - r->cooldown_heat);
}

SL_FN void pr_jettison(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, int c) {
    float units = w->cargo[c], value = units * w->market.price[c];
    float relief = r->jettison_alert + r->jettison_alert_per_value * (value / 1000.0f);
    w->cargo[c] = 0.0f;
    w->ship.alert = sl_max(0.0f, w->ship.alert - relief);
    step->changed |= PR_CHANGED_CARGO;
    pr_weigh(w);
    pr_event(w, PR_EVENT_JETTISON, (float)c, units, value, relief);
}

// ---- the station ----

SL_FN void pr_lie_low(const ProspectorRules *r, ProspectorWorld *w) {
    float relief = sl_min(w->ship.alert, r->dock_alert);
    w->ship.alert = sl_max(0.0f, w->ship.alert - r->dock_alert);
    w->docked = 1;
    pr_event(w, PR_EVENT_DOCK, relief, 0.0f, 0.0f, 0.0f);
}

SL_FN void pr_sell(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, const PrRow *row) {
    int c = row->index;
    PrMarket *m = &w->market;
    float q = row->share * w->cargo[c];
    float proceeds = pr_proceeds(r, m, c, q), slippage = q * m->price[c] - proceeds;
    w->credits = w->credits + proceeds;
    w->cargo[c] = w->cargo[c] - q;
    m->stock[c] = m->stock[c] + q;
    m->recent[c] = m->recent[c] + q;
    w->count.proceeds += proceeds;
    w->count.slippage += slippage;
    step->changed |= PR_CHANGED_CARGO;
    pr_weigh(w);
    pr_event(w, PR_EVENT_SELL, (float)c, q, proceeds, slippage);
}

SL_FN void pr_pay(ProspectorWorld *w, const PrRow *row, float units) {
    w->credits = w->credits - row->price;
    w->count.spend += row->price;
    pr_event(w, PR_EVENT_BUY, (float)(row->kind + row->index - PR_FUEL), units, row->price, 0.0f);
}

SL_FN void pr_buy_fuel(const ProspectorRules *r, ProspectorWorld *w, const PrRow *row) {
    float amount = row->index == 0 ? r->fuel_small : row->index == 1 ? r->fuel_medium : r->fuel_large;
    float after = sl_min(PR_FUEL_MAX, w->ship.fuel + amount);
    pr_pay(w, row, after - w->ship.fuel);
    w->ship.fuel = after;
}

SL_FN void pr_overhaul(ProspectorWorld *w, const PrRow *row) {
    pr_pay(w, row, 1.0f);
    w->ship.hull = PR_GAUGE_MAX;
    w->ship.tool = PR_GAUGE_MAX;
}

// ---- choosing ----

SL_FN void pr_apply(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, const PrRow *row) {
    step->dt = row->ticks;
    switch (row->kind) {
    case PR_TRAVEL: pr_travel(r, w, step, row->index); break;
    case PR_HOLD: pr_take_hold_effect(r, w); break;
    case PR_BURN: pr_burn(r, w, step, row); break;
    case PR_WIDE: case PR_FOCUSED: case PR_DEEP: pr_scan(r, w, step, row); break;
    case PR_LISTEN: pr_listen(r, w, step); break;
    case PR_SELECT: pr_select(w, step, row->index); break;
    case PR_MINE: pr_mine(r, w, step, row); break;
    case PR_STABILIZE: pr_stabilize(r, w, step); break;
    case PR_REFINE: pr_refine(r, w, step, row); break;
    case PR_COOLDOWN: pr_cool_down(r, w, row); break;
    case PR_MAINTAIN: w->kits--; w->ship.tool = sl_min(PR_GAUGE_MAX, w->ship.tool + r->maintenance_tool); break;
    case PR_PATCH: w->kits--; w->ship.hull = sl_min(PR_GAUGE_MAX, w->ship.hull + r->patch_hull); break;
    case PR_JETTISON: pr_jettison(r, w, step, row->index); break;
    case PR_DOCK: pr_lie_low(r, w); break;
    case PR_SELL: pr_sell(r, w, step, row); break;
    case PR_FUEL: pr_buy_fuel(r, w, row); break;
    case PR_KIT: w->kits++; pr_pay(w, row, 1.0f); break;
    case PR_STABILIZER: w->stabilizers++; pr_pay(w, row, 1.0f); break;
    case PR_DECOY: w->decoys++; pr_pay(w, row, 1.0f); break;
    case PR_OVERHAUL: pr_overhaul(w, row); break;
    default: break;                                         // cash out does nothing by itself
    }
}

// One tick adrift. The quirks are those of the first version, kept for the oracle.
SL_FN void pr_apply_invalid(const ProspectorRules *r, ProspectorWorld *w, PrStep *step) {
    int scan = step->action == PR_FOCUSED || step->action == PR_DEEP;
    step->dt = 1;
    if (scan && r->charge_invalid_scans) pr_charge(w, &r->rows[step->action]);
    if (!step->known && r->hold_twice_for_unknown) pr_take_hold_effect(r, w);
    pr_take_hold_effect(r, w);
    w->count.invalid += 1.0f;
    pr_event(w, PR_EVENT_INVALID, (float)step->action, 0.0f, 0.0f, 0.0f);
}

SL_FN void pr_act(const ProspectorRules *r, ProspectorWorld *w, PrStep *step, int32_t asked) {
    step->known = asked >= 0 && asked < PR_ACTIONS;
    step->action = step->known ? asked : PR_HOLD;
    step->valid = step->known && w->mask[asked];
    if (step->valid) pr_apply(r, w, step, &r->rows[step->action]);
    else pr_apply_invalid(r, w, step);
}
