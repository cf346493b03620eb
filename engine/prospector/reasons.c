// reasons.c: why an action is not possible now, for people: the first condition of its row in the table of
// validity (docs/games/prospector.md) that fails. The mask stays what the rules ask; the game's own checks and
// the property tests hold that a reason is given exactly where the mask forbids.

#define PR_REASONS(X) \
    X(no_way, "No way in this slot.") \
    X(no_fuel, "Not enough fuel.") \
    X(at_station, "Of no use at the station.") \
    X(no_asteroid, "No asteroid in this slot.") \
    X(used_up, "This asteroid is used up.") \
    X(selected_already, "This asteroid is selected already.") \
    X(no_target, "Select an asteroid first.") \
    X(target_used_up, "The asteroid is used up: select another.") \
    X(hold_full, "The hold is full.") \
    X(no_stabilizer, "No stabilizer aboard.") \
    X(nothing_to_refine, "No ore aboard to refine.") \
    X(cold_already, "No heat to pump out.") \
    X(no_kit, "No repair kit aboard.") \
    X(tool_whole, "The tool is as good as new.") \
    X(hull_whole, "The hull is as good as new.") \
    X(none_aboard, "None aboard.") \
    X(not_at_station, "Only at the station.") \
    X(docked_already, "Once per arrival, and that was it.") \
    X(no_alert, "No alert to take away.") \
    X(no_credits, "Not enough credits.") \
    X(tank_full, "The tank is full.") \
    X(supply_full, "No room for another.") \
    X(nothing_to_repair, "Hull and tool are as good as new.") \
    X(no_profit, "Needs more credits than you began with.")

#define PR_REASON_NAME(name, text) PR_REASON_##name,
#define PR_REASON_LABEL(name, text) "|" #name
#define PR_REASON_ROW(name, text) { #name, text },
#define PR_REASON_NAMES "none" PR_REASONS(PR_REASON_LABEL)

typedef enum { PR_REASON_none, PR_REASONS(PR_REASON_NAME) PR_REASON_COUNT } PrReason;
typedef struct { const char *name, *text; } PrReasonRow;
SL_HOST_TABLE PrReasonRow PR_REASON_TABLE[] = { { "none", "It is possible." }, PR_REASONS(PR_REASON_ROW) };

SL_FN int pr_lacks_fuel(const ProspectorRules *r, const ProspectorWorld *w, float fuel) {
    return r->fuel_required && !(w->ship.fuel > fuel);
}

SL_FN PrReason pr_no_travel(const ProspectorRules *r, const ProspectorWorld *w, int slot) {
    const PrNode *node = &w->nodes[w->node];
    if (slot >= node->edges) return PR_REASON_no_way;
    return pr_lacks_fuel(r, w, node->fuel[slot] * pr_trip_factor(r, w)) ? PR_REASON_no_fuel : PR_REASON_none;
}

SL_FN PrReason pr_no_select(const ProspectorRules *r, const ProspectorWorld *w, int slot) {
    if (slot >= w->nodes[w->node].rocks) return PR_REASON_no_asteroid;
    if (!(pr_rocks(w)->depletion[slot] < 1.0f)) return PR_REASON_used_up;
    return r->useless_is_invalid && slot == w->selected ? PR_REASON_selected_already : PR_REASON_none;
}

SL_FN PrReason pr_no_target(const ProspectorWorld *w) {
    if (pr_selection_valid(w)) return PR_REASON_none;
    return w->selected >= 0 && w->selected < w->nodes[w->node].rocks ? PR_REASON_target_used_up : PR_REASON_no_target;
}

SL_FN PrReason pr_no_scan(const ProspectorRules *r, const ProspectorWorld *w, int kind) {
    if (kind == PR_WIDE && r->useless_is_invalid && pr_at_station(w)) return PR_REASON_at_station;
    PrReason target = kind == PR_WIDE ? PR_REASON_none : pr_no_target(w);
    if (target) return target;
    return pr_lacks_fuel(r, w, r->rows[kind].fuel) ? PR_REASON_no_fuel : PR_REASON_none;
}

SL_FN PrReason pr_no_mining(const ProspectorRules *r, const ProspectorWorld *w) {
    PrReason target = pr_no_target(w);
    if (target) return target;
    int full = r->useless_is_invalid && !(PR_CARGO_MAX - w->ship.total >= r->trace_units);
    return full ? PR_REASON_hold_full : PR_REASON_none;
}

SL_FN PrReason pr_no_refining(const ProspectorRules *r, const ProspectorWorld *w) {
    if (!r->refine_at_station && pr_at_station(w)) return PR_REASON_at_station;
    if (!pr_refinable(r, w)) return PR_REASON_nothing_to_refine;
    return pr_lacks_fuel(r, w, r->refine_fuel) ? PR_REASON_no_fuel : PR_REASON_none;
}

SL_FN PrReason pr_no_cooling(const ProspectorRules *r, const ProspectorWorld *w) {
    if (r->useless_is_invalid && !(w->ship.heat > 0.0f)) return PR_REASON_cold_already;
    return pr_lacks_fuel(r, w, r->cooldown_fuel) ? PR_REASON_no_fuel : PR_REASON_none;
}

// Tool maintenance and hull patch: a kit on one gauge.
SL_FN PrReason pr_no_repair(const ProspectorRules *r, const ProspectorWorld *w, float gauge, PrReason whole) {
    if (w->kits <= 0) return PR_REASON_no_kit;
    return r->useless_is_invalid && !(gauge < PR_GAUGE_MAX) ? whole : PR_REASON_none;
}

SL_FN PrReason pr_no_docking(const ProspectorRules *r, const ProspectorWorld *w) {
    if (!r->dock_once) return PR_REASON_none;
    if (w->docked) return PR_REASON_docked_already;
    return w->ship.alert > 0.0f ? PR_REASON_none : PR_REASON_no_alert;
}

SL_FN PrReason pr_no_sale(const ProspectorRules *r, const ProspectorWorld *w, int commodity) {
    int aboard = w->cargo[commodity] >= r->trace_units;
    return aboard || !r->useless_is_invalid ? PR_REASON_none : PR_REASON_none_aboard;
}

SL_FN int pr_is_supplied(const ProspectorWorld *w, int kind) {
    int count = kind == PR_KIT ? w->kits : kind == PR_STABILIZER ? w->stabilizers : w->decoys;
    return count >= PR_SUPPLY_MAX;
}

SL_FN PrReason pr_no_purchase(const ProspectorRules *r, const ProspectorWorld *w, const PrRow *row) {
    int strict = r->useless_is_invalid;
    int whole = !(w->ship.hull < PR_GAUGE_MAX) && !(w->ship.tool < PR_GAUGE_MAX);
    if (row->kind == PR_FUEL && strict && !(w->ship.fuel < PR_FUEL_MAX)) return PR_REASON_tank_full;
    if (row->kind == PR_OVERHAUL && strict && whole) return PR_REASON_nothing_to_repair;
    if (row->kind >= PR_KIT && row->kind <= PR_DECOY && pr_is_supplied(w, row->kind)) return PR_REASON_supply_full;
    return w->credits >= row->price ? PR_REASON_none : PR_REASON_no_credits;
}

SL_FN PrReason pr_no_cash_out(const ProspectorRules *r, const ProspectorWorld *w) {
    if (r->cash_out_at_station && !pr_at_station(w)) return PR_REASON_not_at_station;
    return r->cash_out_needs_profit && !(w->credits > w->start_credits) ? PR_REASON_no_profit : PR_REASON_none;
}

// What is done in port; everything else is somewhere else not possible.
SL_FN PrReason pr_no_trade(const ProspectorRules *r, const ProspectorWorld *w, const PrRow *row) {
    if (row->kind == PR_CASH_OUT) return pr_no_cash_out(r, w);
    if (!pr_at_station(w)) return PR_REASON_not_at_station;
    if (row->kind == PR_DOCK) return pr_no_docking(r, w);
    return row->kind == PR_SELL ? pr_no_sale(r, w, row->index) : pr_no_purchase(r, w, row);
}

SL_FN PrReason pr_why_not(const ProspectorRules *r, const ProspectorWorld *w, int action) {
    const PrRow *row = &r->rows[action];
    switch (row->kind) {
    case PR_TRAVEL: return pr_no_travel(r, w, row->index);
    case PR_HOLD: case PR_LISTEN: return PR_REASON_none;
    case PR_BURN: return pr_lacks_fuel(r, w, r->burn_fuel) ? PR_REASON_no_fuel : PR_REASON_none;
    case PR_WIDE: case PR_FOCUSED: case PR_DEEP: return pr_no_scan(r, w, row->kind);
    case PR_SELECT: return pr_no_select(r, w, row->index);
    case PR_MINE: return pr_no_mining(r, w);
    case PR_STABILIZE: return pr_no_target(w) ? pr_no_target(w) : w->stabilizers > 0 ? PR_REASON_none : PR_REASON_no_stabilizer;
    case PR_REFINE: return pr_no_refining(r, w);
    case PR_COOLDOWN: return pr_no_cooling(r, w);
    case PR_MAINTAIN: return pr_no_repair(r, w, w->ship.tool, PR_REASON_tool_whole);
    case PR_PATCH: return pr_no_repair(r, w, w->ship.hull, PR_REASON_hull_whole);
    case PR_JETTISON: return r->jettison_needs_cargo && !(w->cargo[row->index] >= r->trace_units) ? PR_REASON_none_aboard : PR_REASON_none;
    default: return pr_no_trade(r, w, row);
    }
}
