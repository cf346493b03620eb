// prospector_bots.c: scripted players. They see what a policy sees, observation and mask, and keep a few
// floats of memory: a generator, the slot they left the station by, and which of those slots failed them.
// A bot is a list of preferred actions, tried top down; the first that the mask allows is the action.

enum { PR_MEMO_RNG = 0, PR_MEMO_STARTED = 2, PR_MEMO_LEFT_BY = 3, PR_MEMO_FAILS = 4, PR_MEMO_LAST_NODE = 10, PR_MEMO_REFUSED = 11 };

// How a bot flies. Shares are of the gauge's full range.
typedef struct {
    float full, low_hull, low_tool, hot, low_stability;     // when to go home, repair, cool, stabilise
    float scan_all, scan_one;                               // confidence wanted in a node, in a rock
    float spent;                                            // depletion at which a rock is left
    float picky;                                            // credits a unit of richness below which one is not worth it
    int kits, decoys, stabilizers;                          // supplies to carry
    int sale;                                               // 0 a quarter, 1 half, 2 all at once
    int gentlest, boldest;                                  // mining modes
    int refines;                                            // 1 when it refines ore aboard
    int target;                                             // commodity, or -1 for all
} PrStyle;

typedef struct {
    const ProspectorRules *rules;
    const float *obs;
    const uint8_t *mask;
    float *memory;
    const PrStyle *style;
} PrPilot;

#define PR_NO_ACTION (-1)

SL_FN float pr_see(const PrPilot *p, int index) { return p->obs[index]; }
SL_FN const float *pr_see_edge(const PrPilot *p, int slot) { return p->obs + PR_OBS_EDGES + slot * PR_EDGE_FIELDS; }
SL_FN const float *pr_see_rock(const PrPilot *p, int slot) { return p->obs + PR_OBS_ROCKS + slot * PR_ROCK_FIELDS; }
SL_FN int pr_if_legal(const PrPilot *p, int action) { return p->mask[action] ? action : PR_NO_ACTION; }
SL_FN float pr_ticks_left(const PrPilot *p) { return pr_see(p, 6) * (float)p->rules->time_max; }
SL_FN int pr_hops_home(const PrPilot *p) { return (int)(pr_see(p, PR_OBS_HOPS) * 31.0f + 0.5f); }

SL_FN uint32_t pr_bot_random(PrPilot *p) {
    SlRng rng;
    sl_copy(&rng, p->memory + PR_MEMO_RNG, sizeof rng);
    uint32_t bits = sl_rng_next(&rng);
    sl_copy(p->memory + PR_MEMO_RNG, &rng, sizeof rng);
    return bits;
}

// ---- the way ----

// Entry 67 where the profile shows it; a station next door; else slot 0, which is the parent in classic.
SL_FN int pr_home_slot(const PrPilot *p) {
    if (pr_see(p, PR_OBS_WAY_HOME) > 0.0f) return (int)(pr_see(p, PR_OBS_WAY_HOME) * 6.0f + 0.5f) - 1;
    for (int slot = 0; slot < PR_EDGES; slot++) if (pr_see_edge(p, slot)[1] > 0.0f) return slot;
    return 0;
}

SL_FN float pr_loaded(const PrPilot *p) { return 1.0f + p->rules->load_fuel * pr_see(p, 4); }

// Fuel to be home safely: the first hop is known, the others are guessed on the dear side.
SL_FN float pr_fuel_home(const PrPilot *p) {
    int hops = pr_hops_home(p);
    if (hops == 0) return 0.0f;
    float first = pr_see_edge(p, pr_home_slot(p))[5] * 160.0f;
    return (first + (float)(hops - 1) * 85.0f) * pr_loaded(p) + 20.0f;
}

SL_FN float pr_fuel(const PrPilot *p) { return pr_see(p, 0) * PR_FUEL_MAX; }

// Enough to go there and back again by the same edge and then home, with the hold full.
SL_FN int pr_can_venture(const PrPilot *p, int slot) {
    float edge = pr_see_edge(p, slot)[5] * 160.0f;
    float back = (edge + (float)pr_hops_home(p) * 85.0f) * (1.0f + p->rules->load_fuel);
    return p->mask[PR_TRAVEL + slot] && pr_fuel(p) > edge * pr_loaded(p) + back + 40.0f;
}

// Too heavy for the fuel left: the cheapest goods go overboard until the way home is affordable.
SL_FN int pr_lighten(const PrPilot *p) {
    int cheapest = PR_NO_ACTION;
    for (int c = 0; c < PR_GOODS; c++) {
        if (!p->mask[PR_JETTISON + c] || pr_see(p, PR_OBS_CARGO + c) <= 0.0f) continue;
        if (cheapest < 0 || p->rules->base[c] < p->rules->base[cheapest - PR_JETTISON]) cheapest = PR_JETTISON + c;
    }
    return cheapest;
}

SL_FN int pr_go_home(const PrPilot *p) {
    int home = PR_TRAVEL + pr_home_slot(p);
    return p->mask[home] ? home : pr_lighten(p);
}

// Somewhere new: any edge but the one home, drawn, unless fuel says no.
SL_FN int pr_wander_on(PrPilot *p) {
    int options[PR_EDGES], count = 0, home = pr_home_slot(p);
    for (int slot = 0; slot < PR_EDGES; slot++)
        if (slot != home && pr_see_edge(p, slot)[1] == 0.0f && pr_can_venture(p, slot)) options[count++] = slot;
    if (!count) return pr_go_home(p);
    return PR_TRAVEL + options[pr_bot_random(p) % (uint32_t)count];
}

// From the station: the slot that failed least often, the first of equals after the last one taken.
SL_FN int pr_set_out(PrPilot *p) {
    int best = PR_NO_ACTION, from = (int)p->memory[PR_MEMO_LEFT_BY];
    for (int i = 0; i < PR_EDGES; i++) {
        int slot = (from + i) % PR_EDGES;
        if (!pr_can_venture(p, slot)) continue;
        if (best < 0 || p->memory[PR_MEMO_FAILS + slot] < p->memory[PR_MEMO_FAILS + best]) best = slot;
    }
    if (best < 0 || p->memory[PR_MEMO_FAILS + best] >= 3.0f) return PR_NO_ACTION;
    p->memory[PR_MEMO_LEFT_BY] = (float)best;
    return PR_TRAVEL + best;
}

// A new place has new rocks. Home again: a trip that brought little counts against the slot it began with.
SL_FN void pr_judge_trip(PrPilot *p) {
    float node = pr_see(p, PR_OBS_NODE), *last = &p->memory[PR_MEMO_LAST_NODE];
    if (node == 0.0f && *last > 0.0f) {
        float *fails = &p->memory[PR_MEMO_FAILS + (int)p->memory[PR_MEMO_LEFT_BY]];
        *fails = pr_see(p, 4) < 0.15f ? *fails + 1.0f : 0.0f;
    }
    if (*last != node) p->memory[PR_MEMO_REFUSED] = 0.0f;
    *last = node;
}

// ---- rocks ----

SL_FN float pr_ore_worth(const PrPilot *p, const float *rock) {
    const float *price = p->obs + PR_OBS_PRICE, *scale = p->rules->price_scale;
    if (p->style->target >= 0) return rock[1 + p->style->target] * (price[p->style->target] * scale[p->style->target]);
    float worth = 0.0f;
    for (int c = 0; c < PR_GOODS; c++) worth += rock[1 + c] * (price[c] * scale[c]);
    return worth;
}

// Slots refused at this node, a bit each.
SL_FN int pr_refused(const PrPilot *p, int slot) { return (int)p->memory[PR_MEMO_REFUSED] >> slot & 1; }

// Richness shows only while a rock is selected, so a look at a poor one must be remembered.
SL_FN int pr_refuse_poor(PrPilot *p, int slot) {
    const float *rock = pr_see_rock(p, slot);
    float richness = pr_see(p, PR_OBS_RICHNESS) * 4.0f;
    if (rock[10] == 0.0f || richness <= 0.0f) return 0;
    if ((pr_ore_worth(p, rock) * richness) * (1.0f - rock[8]) >= p->style->picky) return 0;
    p->memory[PR_MEMO_REFUSED] += (float)(1 << slot);
    return 1;
}

SL_FN float pr_rock_score(const PrPilot *p, int slot) {
    const float *rock = pr_see_rock(p, slot);
    if (pr_refused(p, slot)) return 0.0f;
    if (rock[0] == 0.0f || rock[8] >= p->style->spent * (0.7f + 0.5f * rock[7])) return 0.0f;   // shaky ones sooner
    float steady = 0.3f + 0.7f * rock[7], fresh = 1.0f - rock[8], sure = 0.5f + 0.5f * rock[9];
    return (pr_ore_worth(p, rock) * steady) * (fresh * sure);
}

// The one being worked on, until it is spent; changing one's mind costs ticks and may never end.
SL_FN int pr_best_rock(const PrPilot *p) {
    int best = -1;
    float best_score = 0.0f;
    for (int slot = 0; slot < PR_ROCKS; slot++) {
        float score = pr_rock_score(p, slot);
        if (score > 0.0f && pr_see_rock(p, slot)[10] > 0.0f) return slot;
        if (score > best_score) { best_score = score; best = slot; }
    }
    return best;
}

SL_FN float pr_mean_confidence(const PrPilot *p) {
    float sum = 0.0f, count = 0.0f;
    for (int slot = 0; slot < PR_ROCKS; slot++) { sum += pr_see_rock(p, slot)[9]; count += pr_see_rock(p, slot)[0]; }
    return count > 0.0f ? sum / count : 1.0f;
}

// Bold on what is firm and fresh, gentle on what is not.
SL_FN int pr_mining_mode(const PrPilot *p, const float *rock) {
    float firm = rock[7] - 0.25f * rock[8];
    int mode = firm > 0.65f ? 2 : firm > 0.32f ? 1 : 0;
    return sl_imin(sl_imax(mode, p->style->gentlest), p->style->boldest);
}

SL_FN int pr_work_rock(const PrPilot *p, int slot) {
    const float *rock = pr_see_rock(p, slot);
    if (rock[10] == 0.0f) return pr_if_legal(p, PR_SELECT + slot);
    if (rock[9] < p->style->scan_one && p->mask[PR_DEEP]) return PR_DEEP;
    if (rock[7] < p->style->low_stability && rock[8] == 0.0f && p->mask[PR_STABILIZE]) return PR_STABILIZE;
    return pr_if_legal(p, PR_MINE + pr_mining_mode(p, rock));
}

// ---- the station ----

SL_FN int pr_sell_something(const PrPilot *p) {
    for (int c = 0; c < PR_GOODS; c++)
        if (pr_see(p, PR_OBS_CARGO + c) > 0.01f && p->mask[PR_SELL + 3 * c]) return PR_SELL + 3 * c + p->style->sale;
    return PR_NO_ACTION;
}

SL_FN int pr_refuel(const PrPilot *p, float wanted) {
    float missing = wanted * PR_FUEL_MAX - pr_fuel(p);
    if (missing > 300.0f && p->mask[PR_FUEL + 2]) return PR_FUEL + 2;
    if (missing > 100.0f && p->mask[PR_FUEL + 1]) return PR_FUEL + 1;
    if (missing > 20.0f && p->mask[PR_FUEL]) return PR_FUEL;
    return PR_NO_ACTION;
}

SL_FN int pr_resupply(const PrPilot *p) {
    const PrStyle *s = p->style;
    if (pr_see(p, 1) < 0.80f || pr_see(p, 3) < 0.70f) if (p->mask[PR_OVERHAUL]) return PR_OVERHAUL;
    int fuel = pr_refuel(p, 0.95f);
    if (fuel >= 0) return fuel;
    if (pr_see(p, 14) * 12.0f + 0.5f < (float)s->kits && p->mask[PR_KIT]) return PR_KIT;
    if (pr_see(p, 16) * 12.0f + 0.5f < (float)s->decoys && p->mask[PR_DECOY]) return PR_DECOY;
    if (pr_see(p, 15) * 12.0f + 0.5f < (float)s->stabilizers && p->mask[PR_STABILIZER]) return PR_STABILIZER;
    return PR_NO_ACTION;
}

SL_FN int pr_too_late(const PrPilot *p) { return pr_ticks_left(p) < 60.0f; }

// Nothing left to sell and nowhere worth going: take the money.
SL_FN int pr_leave_port(PrPilot *p) {
    if (pr_see(p, 5) > 0.05f && p->mask[PR_DOCK]) return PR_DOCK;
    if (pr_too_late(p)) return pr_if_legal(p, PR_CASH_OUT);
    int supply = pr_resupply(p);
    if (supply >= 0) return supply;
    if (pr_see(p, 5) > 0.10f && p->mask[PR_HOLD]) return PR_HOLD;        // let alert fade before setting out
    int out = pr_see(p, 1) > p->style->low_hull ? pr_set_out(p) : PR_NO_ACTION;
    return out >= 0 ? out : pr_if_legal(p, PR_CASH_OUT);
}

// ---- the field ----

SL_FN int pr_care_for_ship(const PrPilot *p) {
    const PrStyle *s = p->style;
    if (pr_see(p, 1) < s->low_hull && p->mask[PR_PATCH]) return PR_PATCH;
    if (pr_see(p, 3) < s->low_tool && p->mask[PR_MAINTAIN]) return PR_MAINTAIN;
    if (pr_see(p, 2) > s->hot && p->mask[PR_COOLDOWN]) return PR_COOLDOWN;
    return PR_NO_ACTION;
}

SL_FN int pr_should_return(const PrPilot *p) {
    float way = (float)pr_hops_home(p) * 8.0f + 30.0f;
    return pr_see(p, 4) > p->style->full || pr_see(p, 1) < p->style->low_hull || pr_fuel(p) < pr_fuel_home(p)
        || pr_ticks_left(p) < way;
}

SL_FN int pr_refine_action(const PrPilot *p) {
    float ore = (pr_see(p, PR_OBS_CARGO) + pr_see(p, PR_OBS_CARGO + 1)) + pr_see(p, PR_OBS_CARGO + 2);
    return p->style->refines && ore > 0.12f && p->mask[PR_REFINE] ? PR_REFINE : PR_NO_ACTION;
}

SL_FN int pr_fly_field(PrPilot *p) {
    int care = pr_care_for_ship(p);
    if (care >= 0) return care;
    int refine = pr_refine_action(p);
    if (refine >= 0) return refine;
    if (pr_should_return(p)) return pr_go_home(p);
    if (pr_mean_confidence(p) < p->style->scan_all && p->mask[PR_WIDE]) return PR_WIDE;
    int rock = pr_best_rock(p);
    while (rock >= 0 && pr_refuse_poor(p, rock)) rock = pr_best_rock(p);
    return rock >= 0 ? pr_work_rock(p, rock) : pr_wander_on(p);
}

// ---- the players ----

SL_FN int pr_begin_flight(PrPilot *p) {
    if (p->memory[PR_MEMO_STARTED] != 0.0f && pr_see(p, 6) < 1.0f) { pr_judge_trip(p); return 0; }
    for (int i = PR_MEMO_STARTED; i < SL_BOT_MEMORY; i++) p->memory[i] = 0.0f;
    p->memory[PR_MEMO_STARTED] = 1.0f;
    return 1;
}

SL_FN void pr_answer(const PrPilot *p, int choice, void *action) {
    *(int32_t *)action = choice >= 0 && choice < PR_ACTIONS && p->mask[choice] ? choice : PR_HOLD;
}

SL_FN void pr_fly(const void *rules, const PrStyle *style, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrPilot p = { (const ProspectorRules *)rules, obs, mask, memory, style };
    pr_begin_flight(&p);
    int choice;
    if (pr_see(&p, PR_OBS_AT_STATION) > 0.0f) {
        choice = pr_sell_something(&p);
        if (choice < 0) choice = pr_leave_port(&p);
    } else {
        choice = pr_fly_field(&p);
    }
    pr_answer(&p, choice, action);
}

#define PR_GREEDY { 0.85f, 0.30f, 0.20f, 0.75f, 0.0f, 0.0f, 0.0f, 0.95f, 0.0f, 0, 0, 0, 2, 2, 2, 0, -1 }

SL_FN void pr_bot_greedy_miner(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrStyle style = PR_GREEDY;
    (void)level;
    pr_fly(rules, &style, obs, mask, memory, action);
}

SL_FN void pr_bot_cautious_scanner(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrStyle style = { 0.70f, 0.55f, 0.40f, 0.60f, 0.40f, 0.25f, 0.55f, 0.70f, 0.0f, 4, 0, 2, 1, 0, 0, 0, -1 };
    (void)level;
    pr_fly(rules, &style, obs, mask, memory, action);
}

SL_FN void pr_bot_tour(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrStyle style = { 0.92f, 0.50f, 0.40f, 0.55f, 0.35f, 0.45f, 0.0f, 0.70f, 30.0f, 1, 6, 2, 2, 0, 2, 1, -1 };
    (void)level;
    pr_fly(rules, &style, obs, mask, memory, action);
}

// Level 1..6 names the commodity it trades in, by rising base price: the last one is rare isotopes.
SL_FN int pr_commodity_of_level(int level) {
    const int by_price[PR_GOODS] = { PR_IRON, PR_NICKEL, PR_WATER_ICE, PR_VOLATILES, PR_PGE, PR_RARE_ISOTOPES };
    return by_price[sl_imin(PR_GOODS - 1, sl_imax(0, level - 1))];
}

SL_FN float pr_price_of(const PrPilot *p, int c) { return pr_see(p, PR_OBS_PRICE + c) * p->rules->price_scale[c]; }

// What is aboard, at present prices, in units of what it is worth at base prices.
SL_FN float pr_price_level(const PrPilot *p) {
    float worth = 0.0f, usual = 0.0f;
    for (int c = 0; c < PR_GOODS; c++) {
        worth += pr_see(p, PR_OBS_CARGO + c) * pr_price_of(p, c);
        usual += pr_see(p, PR_OBS_CARGO + c) * p->rules->base[c];
    }
    return usual > 0.0f ? worth / usual : 1.0f;
}

#define PR_USUAL_LEVEL 0.93f    // of prices, under the stock that a pilot's own sales leave

// Home with half a hold when prices are high, with a full one when they are low.
SL_FN float pr_timed_load(const PrPilot *p) {
    return sl_clamp(0.80f - 4.0f * (pr_price_level(p) - PR_USUAL_LEVEL), 0.50f, 0.96f);
}

// Everything goes but `kept`, which stays aboard while its price is low, it takes little room and time is left.
SL_FN int pr_time_the_market(const PrPilot *p, int kept) {
    int late = pr_see(p, 6) < 0.05f, low = kept >= 0 && pr_price_of(p, kept) < 0.90f * p->rules->base[kept];
    for (int c = 0; c < PR_GOODS; c++) {
        float held = pr_see(p, PR_OBS_CARGO + c);
        if (held <= 0.01f || !p->mask[PR_SELL + 3 * c]) continue;
        if (c == kept && low && !late && held < 0.35f) continue;
        return PR_SELL + 3 * c + p->style->sale;
    }
    return PR_NO_ACTION;
}

// greedy_miner's way of mining; what differs is when it comes home and what it sells.
SL_FN void pr_bot_market_timer(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrStyle style = PR_GREEDY;
    PrPilot p = { (const ProspectorRules *)rules, obs, mask, memory, &style };
    pr_begin_flight(&p);
    style.full = pr_timed_load(&p);
    int choice;
    if (pr_see(&p, PR_OBS_AT_STATION) > 0.0f) {
        choice = pr_time_the_market(&p, pr_commodity_of_level(level));
        if (choice < 0) choice = pr_leave_port(&p);
        if (choice == PR_CASH_OUT && pr_sell_something(&p) >= 0) choice = pr_sell_something(&p);
    } else {
        choice = pr_fly_field(&p);
    }
    pr_answer(&p, choice, action);
}

SL_FN void pr_bot_do_nothing(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    (void)rules; (void)level; (void)obs; (void)mask; (void)memory;
    *(int32_t *)action = PR_HOLD;
}

SL_FN void pr_bot_random_legal(const void *rules, int level, const float *obs, const uint8_t *mask, float *memory, void *action) {
    PrPilot p = { (const ProspectorRules *)rules, obs, mask, memory, 0 };
    int legal[PR_ACTIONS], count = 0;
    (void)level;
    for (int a = 0; a < PR_ACTIONS; a++) if (mask[a]) legal[count++] = a;
    *(int32_t *)action = count ? legal[pr_bot_random(&p) % (uint32_t)count] : PR_HOLD;
}

SL_HOST_TABLE SlBot PR_BOTS[] = {
    { "greedy_miner", 1, "all", pr_bot_greedy_miner, "never scans, mines as hard as it can, sells all at once" },
    { "cautious_scanner", 1, "all", pr_bot_cautious_scanner, "scans first, mines gently, keeps hull and kits, sells by halves" },
    { "market_timer", 6, "all", pr_bot_market_timer, "mines as greedy_miner does, comes home when prices are high, and keeps one commodity, by level iron, nickel, water_ice, volatiles, pge, rare_isotopes, until its price is" },
    { "do_nothing", 1, "all", pr_bot_do_nothing, "holds until time runs out" },
    { "random_legal", 1, "all", pr_bot_random_legal, "any action that the mask allows" },
    { "tour", 1, "all", pr_bot_tour, "a competent round: scan a little, mine by stability, come home full, keep the ship in order" },
};
