// prospector_spec.c: what the game says about itself: knobs into rules, names and sizes of every number
// that leaves the core, and the blocks that are read between steps (info, render, episode, events).

#define PR_GOODS_NAMES "iron|nickel|water_ice|pge|rare_isotopes|volatiles"
#define PR_TERM_NAMES "sell|extract|cargo|fuel|time|wear|damage|heat|scan|invalid|pirate|stranded|destroyed|finish|fracture|hull"

SL_HOST_TABLE char *const PR_PROFILES[] = { (char *)"balanced", (char *)"classic" };

#define PR_FLOAT_ROW(name, low, high, balanced, classic, unit, text) { #name, SL_FLOAT, low, high, { balanced, classic }, unit, "", text },
#define PR_INTEGER_ROW(name, low, high, balanced, classic, unit, text) { #name, SL_INTEGER, low, high, { balanced, classic }, unit, "", text },
#define PR_FLAG_ROW(name, balanced, classic, text) { #name, SL_FLAG, 0, 1, { balanced, classic }, "", "", text },
#define PR_CHOICE_ROW(name, balanced, classic, choices, text) { #name, SL_CHOICE, 0, 1, { balanced, classic }, "", choices, text },
SL_HOST_TABLE SlKnob PR_KNOB_TABLE[] = { PROSPECTOR_KNOBS(PR_FLOAT_ROW, PR_INTEGER_ROW, PR_FLAG_ROW, PR_CHOICE_ROW) };

SL_HOST_TABLE SlField PR_OBS_FIELDS[] = {
    { "fuel_frac", 1, 1, 0, 1, "of 1000", "", "fuel aboard" },
    { "hull_frac", 1, 1, 0, 1, "of 100", "", "hull" },
    { "heat_frac", 1, 1, 0, 1, "of 100", "", "heat" },
    { "tool_frac", 1, 1, 0, 1, "of 100", "", "tool condition" },
    { "cargo_load_frac", 1, 1, 0, 1, "of 200", "", "units aboard" },
    { "alert_frac", 1, 1, 0, 1, "of 100", "", "how well pirates know of the ship" },
    { "time_frac", 1, 1, 0, 1, "of time_max", "", "ticks left" },
    { "credits_log_norm", 1, 1, 0, 1, "of log(1 + 10,000,000)", "", "log(1 + credits)" },
    { "cargo_by_commodity_frac", 1, 6, 0, 1, "of 200", PR_GOODS_NAMES, "units aboard by commodity" },
    { "repair_kits_norm", 1, 1, 0, 1, "of 12", "", "repair kits" },
    { "stabilizers_norm", 1, 1, 0, 1, "of 12", "", "stabilizers" },
    { "decoys_norm", 1, 1, 0, 1, "of 12", "", "decoys" },
    { "at_station_flag", 1, 1, 0, 1, "", "", "1 at the station" },
    { "mining_active_flag", 1, 1, 0, 1, "", "", "1 when the selected asteroid can be mined" },
    { "current_node_type_onehot", 1, 3, 0, 1, "", "station|cluster|hazard", "where the ship is" },
    { "current_node_index_norm", 1, 1, 0, 1, "of 31", "", "number of the node" },
    { "steps_to_station_norm", 1, 1, 0, 1, "of 31", "", "hops to the station" },
    { "neighbors", 6, 7, 0, 1, "", "valid|station|cluster|hazard|travel_time_norm|travel_fuel_cost_norm|threat_norm",
      "the ways out of this node: ticks / 8, fuel of an empty ship / 160, threat estimate" },
    { "selected_richness_est", 1, 1, 0, 1, "of 4", "", "richness estimate of the selected asteroid; 0 in classic" },
    { "way_home", 1, 1, 0, 1, "(slot + 1) / 6", "", "first hop of a shortest way home; 0 at the station and in classic" },
    { "asteroids", 16, 11, 0, 1, "", "valid|iron|nickel|water_ice|pge|rare_isotopes|volatiles|stability_est|depletion|scan_conf|selected",
      "the asteroids of this node: estimated shares, stability, exact depletion, confidence" },
    { "price_norm", 1, 6, 0, 1, "of the maximum", PR_GOODS_NAMES, "prices; in classic of the base price, cut at 1" },
    { "price_delta_norm", 1, 6, -1, 1, "of 100 credits", PR_GOODS_NAMES, "change in the last step" },
    { "station_stock_norm", 1, 4, 0, 1, "of 500", "iron|water_ice|pge|rare_isotopes", "stock at the station" },
};

#define PR_EACH_SLOT6(name, group, text) { name "_0", group, text, "option" }, { name "_1", group, text, "option" }, { name "_2", group, text, "option" }, \
    { name "_3", group, text, "option" }, { name "_4", group, text, "option" }, { name "_5", group, text, "option" },
#define PR_EACH_SLOT16(name, group, text) PR_EACH_SLOT6(name, group, text) { name "_6", group, text, "option" }, { name "_7", group, text, "option" }, \
    { name "_8", group, text, "option" }, { name "_9", group, text, "option" }, { name "_10", group, text, "option" }, { name "_11", group, text, "option" }, \
    { name "_12", group, text, "option" }, { name "_13", group, text, "option" }, { name "_14", group, text, "option" }, { name "_15", group, text, "option" },
#define PR_SELL_ROWS(name) { "SELL_" name "_25", "trade", "sell a quarter of it", "option" }, \
    { "SELL_" name "_50", "trade", "sell half of it", "option" }, { "SELL_" name "_100", "trade", "sell all of it", "option" },

SL_HOST_TABLE SlAction PR_ACTION_TABLE[] = {
    PR_EACH_SLOT6("TRAVEL_NEIGHBOR", "navigation", "fly along this edge; needs its fuel")
    { "HOLD_DRIFT", "navigation", "wait a tick: cools, and alert fades", "option" },
    { "EMERGENCY_BURN", "navigation", "burn fuel to shake off pirates for the next ticks", "option" },
    { "WIDE_SCAN", "scan", "a little about every asteroid here", "option" },
    { "FOCUSED_SCAN_SELECTED", "scan", "more about the selected one", "option" },
    { "DEEP_SCAN_SELECTED", "scan", "most about the selected one, slowly", "option" },
    { "PASSIVE_THREAT_LISTEN", "scan", "estimate the threat of every edge here", "option" },
    PR_EACH_SLOT16("SELECT_ASTEROID", "scan", "aim at this asteroid")
    { "MINE_CONSERVATIVE_SELECTED", "mining", "slow, cool, gentle", "option" },
    { "MINE_STANDARD_SELECTED", "mining", "the middle way", "option" },
    { "MINE_AGGRESSIVE_SELECTED", "mining", "fast, hot, likely to break it", "option" },
    { "STABILIZE_SELECTED", "mining", "spend a stabilizer: it breaks less easily for a while", "option" },
    { "REFINE_ONBOARD", "mining", "turn ore into denser goods", "option" },
    { "ACTIVE_COOLDOWN", "survival", "pump heat out", "option" },
    { "TOOL_MAINTENANCE", "survival", "spend a kit on the tool", "option" },
    { "HULL_PATCH", "survival", "spend a kit on the hull", "option" },
    { "JETTISON_IRON", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "JETTISON_NICKEL", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "JETTISON_WATER_ICE", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "JETTISON_PGE", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "JETTISON_RARE_ISOTOPES", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "JETTISON_VOLATILES", "survival", "drop all of it; pirates lose interest by its value", "option" },
    { "DOCK", "trade", "lie low in port: takes alert away, once per arrival; trade does not need it", "option" },
    PR_SELL_ROWS("IRON") PR_SELL_ROWS("NICKEL") PR_SELL_ROWS("WATER_ICE")
    PR_SELL_ROWS("PGE") PR_SELL_ROWS("RARE_ISOTOPES") PR_SELL_ROWS("VOLATILES")
    { "BUY_FUEL_SMALL", "trade", "a little fuel", "option" },
    { "BUY_FUEL_MED", "trade", "some fuel", "option" },
    { "BUY_FUEL_LARGE", "trade", "much fuel, the cheapest by unit", "option" },
    { "BUY_REPAIR_KIT", "trade", "for tool or hull, anywhere", "option" },
    { "BUY_STABILIZER", "trade", "for an asteroid that might break", "option" },
    { "BUY_DECOY", "trade", "pirates chase it instead, most of the time", "option" },
    { "FULL_REPAIR_OVERHAUL", "trade", "hull and tool as new", "option" },
    { "CASH_OUT_END_EPISODE", "trade", "end the episode; unsold cargo is worth nothing", "option" },
};
SL_STATIC_ASSERT(sizeof PR_ACTION_TABLE / sizeof PR_ACTION_TABLE[0] == PR_ACTIONS, "a row an action");

SL_HOST_TABLE SlTerm PR_TERM_TABLE[] = {
    { "sell", "all", "reward_sell", "change of money, purchases negative" },
    { "extract", "all", "reward_extract", "value of newly mined or refined units" },
    { "cargo", "all", "reward_cargo", "growth of the hold at base prices, negative as it is sold or lost" },
    { "fuel", "all", "reward_fuel", "fuel burnt" },
    { "time", "all", "reward_time", "ticks passed" },
    { "wear", "all", "reward_wear", "tool worn" },
    { "damage", "all", "reward_damage", "hull lost" },
    { "heat", "all", "reward_heat", "heat above the knee, squared" },
    { "scan", "all", "reward_scan", "a scan" },
    { "invalid", "all", "reward_invalid", "an invalid action" },
    { "pirate", "all", "reward_pirate", "cargo lost to pirates" },
    { "stranded", "all", "reward_stranded", "once, without fuel for any way out" },
    { "destroyed", "all", "reward_destroyed", "once, without hull" },
    { "finish", "all", "reward_finish", "money in hand at a good end" },
    { "fracture", "all", "reward_fracture", "what a broken asteroid would still have yielded" },
    { "hull", "all", "reward_hull", "missing hull, squared: charged as it is lost, paid back as it is repaired" },
};
SL_STATIC_ASSERT(sizeof PR_TERM_TABLE / sizeof PR_TERM_TABLE[0] == PR_TERMS, "a row a reward term");

SL_HOST_TABLE SlEventKind PR_EVENT_TABLE[] = {
    { "invalid_action", "action", "the action was not possible" },
    { "pirate_encounter", "share_lost|value_lost|hull_lost|decoy_used", "pirates took cargo" },
    { "overheat", "overflow|hull_lost", "heat went over 100" },
    { "fracture", "slot|hull_lost|node_hazard", "the asteroid broke up" },
    { "dock", "alert_relief", "the ship lay low in port" },
    { "sell", "commodity|units|proceeds|slippage", "a sale" },
    { "buy", "item|units|cost", "a purchase: fuel small, medium, large, kit, stabilizer, decoy, overhaul" },
    { "scan", "kind|slot|count", "a scan: wide, focused, deep, listen" },
    { "refine", "value_taken|value_made|units_taken", "ore became denser goods" },
    { "jettison", "commodity|units|value|alert_relief", "cargo was dropped" },
    { "stranded", "node|fuel", "no fuel for any way out" },
    { "destroyed", "node", "the ship was lost" },
    { "cash_out", "credits", "the pilot ended the episode" },
    { "truncated", "credits|cargo_value", "time ran out" },
    { "price_spike", "commodity|jump", "a shock hit one price" },
};

// The thirteen metrics, in their fixed order.
#define PR_METRIC_FIELDS \
    { "credits", 1, 1, 0, 0, "credits", "", "balance" }, \
    { "net_profit", 1, 1, 0, 0, "credits", "", "credits less starting credits; in classic less spend once more" }, \
    { "profit_per_tick", 1, 1, 0, 0, "credits a tick", "", "net profit by ticks elapsed" }, \
    { "survival", 1, 1, 0, 1, "", "", "0 once the ship is destroyed or stranded, else 1" }, \
    { "overheat_ticks", 1, 1, 0, 0, "ticks", "", "ticks of steps in which heat went over 100" }, \
    { "pirate_encounters", 1, 1, 0, 0, "", "", "count" }, \
    { "value_lost_to_pirates", 1, 1, 0, 0, "credits", "", "at prices of the moment" }, \
    { "fuel_used", 1, 1, 0, 0, "fuel", "", "fuel burnt" }, \
    { "hull_damage", 1, 1, 0, 0, "hull", "", "hull lost" }, \
    { "tool_wear", 1, 1, 0, 0, "tool", "", "tool condition lost" }, \
    { "scan_count", 1, 1, 0, 0, "", "", "valid scans" }, \
    { "mining_ticks", 1, 1, 0, 0, "", "", "valid mining decisions" }, \
    { "cargo_utilization_avg", 1, 1, 0, 1, "", "", "tick-weighted mean load" },

SL_HOST_TABLE SlField PR_INFO_FIELDS[] = {
    { "action", 1, 1, 0, 0, "id", "", "resolved action; -1 after reset" },
    { "dt", 1, 1, 0, 8, "ticks", "", "ticks of the last step" },
    { "invalid_action", 1, 1, 0, 1, "", "", "1 when it was invalid" },
    PR_METRIC_FIELDS
    { "terminated", 1, 1, 0, 1, "", "", "the game ended" },
    { "truncated", 1, 1, 0, 1, "", "", "time ran out" },
    { "node_context", 1, 1, 0, 1, "", "station|field", "0 station, 1 field" },
    { "time_remaining", 1, 1, 0, 0, "ticks", "", "ticks left" },
};

SL_HOST_TABLE SlField PR_RENDER_FIELDS[] = {
    { "fuel", 1, 1, 0, 1000, "fuel", "", "fuel aboard" },
    { "hull", 1, 1, 0, 100, "hull", "", "hull" },
    { "heat", 1, 1, 0, 100, "heat", "", "heat" },
    { "tool", 1, 1, 0, 100, "tool", "", "tool condition" },
    { "cargo_total", 1, 1, 0, 200, "units", "", "units aboard" },
    { "alert", 1, 1, 0, 100, "alert", "", "alert" },
    { "time_remaining", 1, 1, 0, 0, "ticks", "", "ticks left" },
    { "ticks", 1, 1, 0, 0, "ticks", "", "ticks elapsed" },
    { "credits", 1, 1, 0, 0, "credits", "", "balance" },
    { "net_profit", 1, 1, 0, 0, "credits", "", "profit so far" },
    { "survival", 1, 1, 0, 1, "", "", "0 once destroyed or stranded" },
    { "cargo_utilization_avg", 1, 1, 0, 1, "", "", "tick-weighted mean load" },
    { "cargo", 1, 6, 0, 200, "units", PR_GOODS_NAMES, "units aboard by commodity" },
    { "cargo_value", 1, 1, 0, 0, "credits", "", "cargo at present prices" },
    { "repair_kits", 1, 1, 0, 12, "", "", "repair kits" },
    { "stabilizers", 1, 1, 0, 12, "", "", "stabilizers" },
    { "decoys", 1, 1, 0, 12, "", "", "decoys" },
    { "price", 1, 6, 0, 0, "credits", PR_GOODS_NAMES, "prices" },
    { "price_delta", 1, 6, 0, 0, "credits", PR_GOODS_NAMES, "change in the last step" },
    { "price_base", 1, 6, 0, 0, "credits", PR_GOODS_NAMES, "base prices" },
    { "stock", 1, 6, 0, 0, "units", PR_GOODS_NAMES, "stock at the station; the policy sees four of them" },
    { "node", 1, 1, 0, 31, "", "", "where the ship is" },
    { "node_type", 1, 1, 0, 2, "", "station|cluster|hazard", "what it is" },
    { "node_hazard", 1, 1, 0, 1, "", "", "its hazard; the policy does not see it" },
    { "node_count", 1, 1, 0, 32, "", "", "nodes of this belt" },
    { "hops", 1, 1, 0, 31, "", "", "hops to the station" },
    { "way_home", 1, 1, -1, 5, "slot", "", "first hop home; -1 at the station or without a way" },
    { "selected", 1, 1, -1, 15, "slot", "", "selected asteroid; -1 none" },
    { "escape_ticks", 1, 1, 0, 0, "ticks", "", "emergency burn left; the policy does not see it" },
    { "stabilized_ticks", 1, 16, 0, 0, "ticks", "", "by slot; the policy does not see it" },
    { "docked", 1, 1, 0, 1, "", "", "1 after lying low, until the next trip" },
    { "action", 1, 1, 0, 0, "id", "", "last action; -1 after reset" },
    { "dt", 1, 1, 0, 8, "ticks", "", "ticks of the last step" },
    { "invalid_action", 1, 1, 0, 1, "", "", "1 when it was invalid" },
    { "ending", 1, 1, 0, 4, "", "none|destroyed|stranded|cash_out|time", "how it ended" },
    { "reward_terms", 1, PR_TERMS, 0, 0, "", PR_TERM_NAMES, "parts of the last reward" },
    { "asteroids", 16, 12, 0, 0, "", "valid|iron|nickel|water_ice|pge|rare_isotopes|volatiles|stability|depletion|confidence|selected|richness",
      "estimates of the asteroids here" },
    { "nodes", 32, 4, -1, 31, "", "known|type|hops|asteroids", "known: 0 not, 1 seen from next door, 2 visited; -1 for what is not known" },
    { "edges", 192, 4, -1, 160, "", "neighbor|ticks|fuel|threat", "six slots a node, of visited nodes; neighbor -1 for none" },
    { "trip_fuel", PR_EDGES, 1, 0, 0, "fuel", "", "by slot: what a trip takes with the present load; 0 for no way" },
    { "sale", PR_GOODS, 3, 0, 0, "credits", "quarter|half|all", "by commodity: what a sale would bring here and now, slippage taken off; 0 in the field" },
    { "why_not", PR_ACTIONS, 1, 0, PR_REASON_COUNT - 1, "", PR_REASON_NAMES, "by action: what forbids it now, none where the mask allows it" },
};

SL_HOST_TABLE SlField PR_EPISODE_FIELDS[] = {
    { "return", 1, 1, 0, 0, "", "", "sum of shaped rewards" },
    { "eval_return", 1, 1, 0, 0, "", "", "sum of sparse rewards" },
    PR_METRIC_FIELDS
    { "ending", 1, 1, 0, 4, "", "none|destroyed|stranded|cash_out|time", "how it ended" },
    { "decisions", 1, 1, 0, 0, "", "", "steps" },
    { "ticks", 1, 1, 0, 0, "ticks", "", "ticks elapsed" },
    { "invalid_actions", 1, 1, 0, 0, "", "", "count" },
    { "terms", 1, PR_TERMS, 0, 0, "", PR_TERM_NAMES, "sums of reward terms" },
    { "spend", 1, 1, 0, 0, "credits", "", "purchases" },
    { "proceeds", 1, 1, 0, 0, "credits", "", "sales" },
    { "slippage", 1, 1, 0, 0, "credits", "", "lost to own price pressure" },
    { "mined_units", 1, 1, 0, 0, "units", "", "ore loaded" },
    { "mined_value", 1, 1, 0, 0, "credits", "", "ore loaded, at prices of the moment" },
    { "fractures", 1, 1, 0, 0, "", "", "asteroids broken" },
    { "station_arrivals", 1, 1, 0, 0, "", "", "trips that ended at the station" },
    { "arrival_load", 1, 1, 0, 1, "", "", "mean load on arrival at the station" },
    { "nodes", 1, 1, 0, 32, "", "", "nodes of the belt" },
    { "nodes_visited", 1, 1, 0, 32, "", "", "of them visited" },
    { "destroyed", 1, 1, 0, 1, "", "", "1 when the ship was lost" },
    { "stranded", 1, 1, 0, 1, "", "", "1 when it was stranded" },
};

SL_HOST_TABLE SlMeaning PR_MEANING[] = {
    { "ending", "code", "none", 0, "" },
    { "net_profit", "measure", "higher", 1, "" },
    { "return", "measure", "higher", 0, "" },
    { "eval_return", "measure", "higher", 0, "" },
    { "credits", "measure", "higher", 0, "" },
    { "profit_per_tick", "measure", "higher", 0, "" },
    { "survival", "flag", "higher", 0, "" },
    { "overheat_ticks", "measure", "lower", 0, "" },
    { "value_lost_to_pirates", "measure", "lower", 0, "" },
    { "hull_damage", "measure", "lower", 0, "" },
    { "tool_wear", "measure", "lower", 0, "" },
    { "invalid_actions", "measure", "lower", 0, "" },
    { "slippage", "measure", "lower", 0, "" },
    { "destroyed", "flag", "lower", 0, "" },
    { "stranded", "flag", "lower", 0, "" },
};

SL_HOST_TABLE SlDefaultBot PR_DEFAULT_BOTS[] = { { "pilot", "tour" } };

SL_HOST_TABLE SlComparison PR_COMPARISONS[] = { { "cautious_scanner", "survival" }, { "market_timer", "profit_per_tick" } };

SL_HOST_TABLE SlAlias PR_ALIASES[] = { { "net_profit", "profit", "100|500|1000" }, { "survival", "", "1" } };

// A ratio of means weighs long episodes more than short ones, as a sum over all of them does. A lost ship is worth
// 500 credits: half a good episode.
SL_HOST_TABLE SlDerived PR_DERIVED[] = {
    { "hull_damage_per_1000_ticks", "ratio", "hull_damage_mean", "ticks_mean", 1000 },
    { "loss_per_encounter", "ratio", "value_lost_to_pirates_mean", "pirate_encounters_mean", 1 },
    { "pirates_per_1000_ticks", "ratio", "pirate_encounters_mean", "ticks_mean", 1000 },
    { "profit_per_fuel", "ratio", "net_profit_mean", "fuel_used_mean", 1 },
    { "ore_value_per_mining_tick", "ratio", "mined_value_mean", "mining_ticks_mean", 1 },
    { "credits_per_scan", "ratio", "net_profit_mean", "scan_count_mean", 1 },
    { "invalid_per_decision", "ratio", "invalid_actions_mean", "decisions_mean", 1 },
    { "risk_adjusted_profit", "penalty", "net_profit_mean", "survival_rate", 500 },
};

#define PR_PROFIT "profit", "Profit", "Profit", "credits per episode"
#define PR_SURVIVAL "survival", "How episodes end", "Survival", "share of episodes"
#define PR_RISK "risk", "Risk"
#define PR_EFFICIENCY "efficiency", "Efficiency"
#define PR_ACTIVITY "activity", "What the pilot does"
SL_HOST_TABLE SlChartLine PR_CHARTS[] = {
    { PR_PROFIT, "profit_mean", "mean", "#2b6cb0" },
    { PR_PROFIT, "profit_median", "median", "#0e7490" },
    { PR_SURVIVAL, "survival_rate", "survived", "#2f855a" },
    { PR_SURVIVAL, "stranded_rate", "stranded", "#b7791f" },
    { PR_SURVIVAL, "destroyed_rate", "destroyed", "#d1495b" },
    { PR_RISK, "Overheated", "ticks per episode", "overheat_ticks_mean", "", "" },
    { PR_RISK, "Pirates met", "encounters per episode", "pirate_encounters_mean", "", "" },
    { PR_RISK, "Lost to pirates", "credits per episode", "value_lost_to_pirates_mean", "", "" },
    { PR_RISK, "Hull damage", "hull in 1,000 ticks", "hull_damage_per_1000_ticks", "", "" },
    { PR_RISK, "Loss per pirate", "credits per encounter", "loss_per_encounter", "", "" },
    { PR_RISK, "Profit, adjusted for risk", "credits per episode", "risk_adjusted_profit", "", "" },
    { PR_EFFICIENCY, "Profit per tick", "credits per tick", "profit_per_tick_mean", "", "" },
    { PR_EFFICIENCY, "Profit per unit of fuel", "credits per unit", "profit_per_fuel", "", "" },
    { PR_EFFICIENCY, "Ore per mining tick", "credits per tick", "ore_value_per_mining_tick", "", "" },
    { PR_EFFICIENCY, "Profit per scan", "credits per scan", "credits_per_scan", "", "" },
    { PR_EFFICIENCY, "Hold on arrival", "share of the hold", "arrival_load_mean", "", "" },
    { PR_EFFICIENCY, "Lost to slippage", "credits per episode", "slippage_mean", "", "" },
    { PR_ACTIVITY, "Mining", "ticks per episode", "mining_ticks_mean", "", "" },
    { PR_ACTIVITY, "Scans", "scans per episode", "scan_count_mean", "", "" },
    { PR_ACTIVITY, "Fuel", "units per episode", "fuel_used_mean", "", "" },
    { PR_ACTIVITY, "Tool wear", "units per episode", "tool_wear_mean", "", "" },
    { PR_ACTIVITY, "Hold in use", "share of the hold", "cargo_utilization_avg_mean", "", "" },
    { PR_ACTIVITY, "Invalid actions", "share of decisions", "invalid_per_decision", "", "" },
};

// ---------------------------------------------------------------- knobs into rules

SL_HOST_FN void pr_read_knobs(ProspectorRules *r, const double *values) {
    int i = 0;
#define PR_FLOAT_READ(name, low, high, balanced, classic, unit, text) r->name = (float)values[i++];
#define PR_INTEGER_READ(name, low, high, balanced, classic, unit, text) r->name = (int32_t)values[i++];
#define PR_FLAG_READ(name, balanced, classic, text) r->name = (int32_t)values[i++];
#define PR_CHOICE_READ(name, balanced, classic, choices, text) r->name = (int32_t)values[i++];
    PROSPECTOR_KNOBS(PR_FLOAT_READ, PR_INTEGER_READ, PR_FLAG_READ, PR_CHOICE_READ)
    (void)i;
}

SL_HOST_FN void pr_row(ProspectorRules *r, int kind, int index, int ticks, float fuel, float heat, float alert, float price) {
    PrRow *row = &r->rows[kind + index];
    row->kind = kind;
    row->index = index;
    row->ticks = ticks;
    row->fuel = fuel;
    row->heat = heat;
    row->alert = alert;
    row->price = price;
}

SL_HOST_FN void pr_configure_ship_rows(ProspectorRules *r) {
    for (int slot = 0; slot < PR_EDGES; slot++) pr_row(r, PR_TRAVEL, slot, 1, 0, 0, 0, 0);     // an edge has its own ticks and fuel
    pr_row(r, PR_HOLD, 0, r->hold_ticks, 0, 0, 0, 0);
    pr_row(r, PR_BURN, 0, r->burn_ticks, r->burn_fuel, 0, r->burn_alert, 0);
    pr_row(r, PR_WIDE, 0, r->wide_ticks, r->wide_fuel, 0, r->wide_alert, 0);
    pr_row(r, PR_FOCUSED, 0, r->focused_ticks, r->focused_fuel, 0, r->focused_alert, 0);
    pr_row(r, PR_DEEP, 0, r->deep_ticks, r->deep_fuel, 0, r->deep_alert, 0);
    pr_row(r, PR_LISTEN, 0, r->listen_ticks, 0, 0, 0, 0);
    for (int slot = 0; slot < PR_ROCKS; slot++) pr_row(r, PR_SELECT, slot, r->select_ticks, 0, 0, 0, 0);
    for (int mode = 0; mode < 3; mode++) pr_row(r, PR_MINE, mode, r->mine_ticks, 0, r->modes[mode].heat, r->modes[mode].alert, 0);
    pr_row(r, PR_STABILIZE, 0, r->stabilize_ticks, 0, 0, 0, 0);
    pr_row(r, PR_REFINE, 0, r->refine_ticks, r->refine_fuel, r->refine_heat, r->refine_alert, 0);
    pr_row(r, PR_COOLDOWN, 0, r->cooldown_ticks, r->cooldown_fuel, 0, r->cooldown_alert, 0);
    pr_row(r, PR_MAINTAIN, 0, r->maintenance_ticks, 0, 0, 0, 0);
    pr_row(r, PR_PATCH, 0, r->patch_ticks, 0, 0, 0, 0);
    for (int c = 0; c < PR_GOODS; c++) pr_row(r, PR_JETTISON, c, r->jettison_ticks, 0, 0, 0, 0);
}

// Sales come in threes by commodity, so their index is not their place in the group.
SL_HOST_FN void pr_configure_sale_rows(ProspectorRules *r) {
    SL_HOST_TABLE float shares[3] = { 0.25f, 0.5f, 1.0f };
    for (int i = 0; i < 3 * PR_GOODS; i++) {
        pr_row(r, PR_SELL, i, r->trade_ticks, 0, 0, 0, 0);
        r->rows[PR_SELL + i].index = i / 3;
        r->rows[PR_SELL + i].share = shares[i % 3];
    }
}

SL_HOST_FN void pr_configure_port_rows(ProspectorRules *r) {
    pr_row(r, PR_DOCK, 0, r->dock_ticks, 0, 0, 0, 0);
    pr_configure_sale_rows(r);
    pr_row(r, PR_FUEL, 0, r->trade_ticks, 0, 0, 0, r->fuel_small_price);
    pr_row(r, PR_FUEL, 1, r->trade_ticks, 0, 0, 0, r->fuel_medium_price);
    pr_row(r, PR_FUEL, 2, r->trade_ticks, 0, 0, 0, r->fuel_large_price);
    pr_row(r, PR_KIT, 0, r->trade_ticks, 0, 0, 0, r->kit_price);
    pr_row(r, PR_STABILIZER, 0, r->trade_ticks, 0, 0, 0, r->stabilizer_price);
    pr_row(r, PR_DECOY, 0, r->trade_ticks, 0, 0, 0, r->decoy_price);
    pr_row(r, PR_OVERHAUL, 0, r->overhaul_ticks, 0, 0, 0, r->overhaul_price);
    pr_row(r, PR_CASH_OUT, 0, r->cash_out_ticks, 0, 0, 0, 0);
}

SL_HOST_FN void pr_configure_work(ProspectorRules *r) {
    PrMode modes[3] = {
        { r->conservative_yield, r->conservative_sd, r->conservative_heat, r->conservative_wear, r->conservative_alert, r->conservative_fracture },
        { r->standard_yield, r->standard_sd, r->standard_heat, r->standard_wear, r->standard_alert, r->standard_fracture },
        { r->aggressive_yield, r->aggressive_sd, r->aggressive_heat, r->aggressive_wear, r->aggressive_alert, r->aggressive_fracture },
    };
    PrScan scans[3] = {
        { r->wide_blend, r->wide_gain, r->wide_noise },
        { r->focused_blend, r->focused_gain, r->focused_noise },
        { r->deep_blend, r->deep_gain, r->deep_noise },
    };
    sl_copy(r->modes, modes, sizeof modes);
    sl_copy(r->scans, scans, sizeof scans);
    r->iron_yield = (r->base_iron / r->base_pge) * (1.0f + r->refine_premium);
    r->nickel_yield = (r->base_nickel / r->base_pge) * (1.0f + r->refine_premium);
    r->ice_yield = (r->base_water_ice / r->base_volatiles) * (1.0f + r->refine_premium);
}

SL_HOST_FN void pr_configure_prices(ProspectorRules *r) {
    float base[PR_LANES] = { r->base_iron, r->base_nickel, r->base_water_ice, r->base_pge, r->base_rare_isotopes, r->base_volatiles, 0, 0 };
    float low[PR_LANES] = { r->min_iron, r->min_nickel, r->min_water_ice, r->min_pge, r->min_rare_isotopes, r->min_volatiles, 0, 0 };
    float high[PR_LANES] = { r->max_iron, r->max_nickel, r->max_water_ice, r->max_pge, r->max_rare_isotopes, r->max_volatiles, 0, 0 };
    for (int c = 0; c < PR_LANES; c++) {
        r->base[c] = base[c];
        r->low[c] = low[c];
        r->high[c] = high[c];
        r->price_scale[c] = c >= PR_GOODS ? 1.0f : (r->price_norm_by_max ? high[c] : base[c]);
    }
    r->glut = r->sell_along_curve ? r->price_impact_scale / r->stock_depth : 0.0f;
    r->stock_slope = r->price_impact_scale * r->stock_price;
    r->sales_slope = r->price_impact_scale * r->sales_price;
}

SL_HOST_FN void pr_configure_decay(ProspectorRules *r) {
    float calm = 1.0f, stock = 1.0f, spread = r->price_noise_scale * r->price_noise;
    for (int dt = 1; dt <= PR_MAX_DT; dt++) {
        float n = (float)dt, keep = r->price_noise_memory > 0.0f ? sl_exp(-n / r->price_noise_memory) : 0.0f;
        calm = calm * (1.0f - r->shock_rate);
        stock = stock * r->stock_keep;
        r->noise_keep[dt] = keep;
        r->noise_gain[dt] = spread * sl_sqrt(r->price_noise_memory > 0.0f ? sl_max(0.0f, 1.0f - keep * keep) : n);
        r->shock_keep[dt] = sl_exp(-n / r->shock_memory);
        r->shock_chance[dt] = 1.0f - calm;
        r->sales_keep[dt] = sl_exp(-n / r->sales_memory);
        r->stock_left[dt] = r->stock_decay_per_tick ? stock : r->stock_keep;
    }
}

SL_HOST_FN void pr_configure_scales(ProspectorRules *r) {
    r->credits_scale = sl_log(1.0f + 10000000.0f);
    float scale[PR_LANES] = { PR_FUEL_MAX, PR_GAUGE_MAX, PR_GAUGE_MAX, PR_GAUGE_MAX, PR_CARGO_MAX, PR_GAUGE_MAX,
                              (float)r->time_max, r->credits_scale };
    sl_copy(r->gauge_scale, scale, sizeof scale);
    for (int n = 0; n <= PR_ROCKS; n++)
        r->rock_jump[n] = sl_rng_jump((uint64_t)(n * PR_ROCK_DRAWS + (r->geology > 0.0f ? PR_GOODS : 0)));
    for (int n = 0; n < PR_LANES; n++) r->lanes[n] = sl_rng_jump((uint64_t)n);
    r->block = sl_rng_jump(PR_LANES);
    r->market_jump = sl_rng_jump(2 * PR_GOODS);
}

// Pairs that must be in order; a price that is nowhere between its bounds makes no game.
#define PR_ORDERED(X) \
    X(start_fuel_min, start_fuel_max) X(start_hull_min, start_hull_max) X(start_tool_min, start_tool_max) \
    X(start_credits_min, start_credits_max) X(nodes_min, nodes_max) X(hazard_min, hazard_max) X(pirate_min, pirate_max) \
    X(edge_ticks_min, edge_ticks_max) X(edge_fuel_min, edge_fuel_max) X(asteroids_min, asteroids_max) \
    X(richness_min, richness_max) X(noise_min, noise_max) X(pirates_loss_min, pirates_loss_max) \
    X(pirates_hull_min, pirates_hull_max) X(stock_min, stock_max) X(period_min, period_max) \
    X(amplitude_min, amplitude_max) X(shock_min, shock_max) \
    X(min_iron, max_iron) X(min_nickel, max_nickel) X(min_water_ice, max_water_ice) X(min_pge, max_pge) \
    X(min_rare_isotopes, max_rare_isotopes) X(min_volatiles, max_volatiles)

SL_HOST_FN int pr_refuse(const char *small, const char *large, char *why, size_t room) {
    SlText text = { why, (int64_t)room - 1, 0, 0, 0 };
    sl_put_raw(&text, small);
    sl_put_raw(&text, " is larger than ");
    sl_put_raw(&text, large);
    sl_put_raw(&text, "; give values in order, or the same value twice for a fixed one.");
    if (room) why[text.used < (int64_t)room - 1 ? text.used : (int64_t)room - 1] = 0;
    return -1;
}

SL_HOST_FN int pr_check_order(const ProspectorRules *r, char *why, size_t room) {
#define PR_CHECK(small, large) if (r->small > r->large) return pr_refuse(#small, #large, why, room);
    PR_ORDERED(PR_CHECK)
    return 0;
}

SL_HOST_FN int prospector_configure(void *rules, const double *values, char *why, size_t room) {
    ProspectorRules *r = (ProspectorRules *)rules;
    sl_fill(r, 0, sizeof *r);
    pr_read_knobs(r, values);
    pr_configure_work(r);
    pr_configure_ship_rows(r);
    pr_configure_port_rows(r);
    pr_configure_prices(r);
    pr_configure_decay(r);
    pr_configure_scales(r);
    return pr_check_order(r, why, room);
}

// ---------------------------------------------------------------- describing

SL_HOST_FN void prospector_shape(const void *rules, SlShape *out) {
    (void)rules;
    out->agents = 1;
    out->observation = PR_OBSERVATION;
    out->actions = PR_ACTIONS;
    out->action_size = 1;
    out->masked = 1;
    out->info = sl_fields_size(PR_INFO_FIELDS, SL_COUNT(PR_INFO_FIELDS));
    out->render = sl_fields_size(PR_RENDER_FIELDS, SL_COUNT(PR_RENDER_FIELDS));
    out->episode = sl_fields_size(PR_EPISODE_FIELDS, SL_COUNT(PR_EPISODE_FIELDS));
}

// "reasons": [{name, text}], in the order of the render block's why_not.
SL_HOST_FN void pr_describe_reasons(SlText *out) {
    sl_key(out, "reasons");
    sl_open(out, '[');
    for (int i = 0; i < SL_COUNT(PR_REASON_TABLE); i++) {
        sl_open(out, '{');
        sl_key_string(out, "name", PR_REASON_TABLE[i].name);
        sl_key_string(out, "text", PR_REASON_TABLE[i].text);
        sl_close(out, '}');
    }
    sl_close(out, ']');
}

// "costs": what each action takes under these rules. A trip's ticks and fuel are its edge's: 0 here.
SL_HOST_FN void pr_describe_costs(const ProspectorRules *r, SlText *out) {
    sl_key(out, "costs");
    sl_open(out, '[');
    for (int i = 0; i < PR_ACTIONS; i++) {
        const PrRow *row = &r->rows[i];
        sl_open(out, '{');
        sl_key_number(out, "ticks", row->kind == PR_TRAVEL ? 0 : row->ticks);
        sl_key_number(out, "fuel", row->fuel);
        sl_key_number(out, "heat", row->heat);
        sl_key_number(out, "alert", row->alert);
        sl_key_number(out, "credits", row->price);
        sl_close(out, '}');
    }
    sl_close(out, ']');
}

SL_HOST_FN void prospector_describe(const void *rules, SlText *out) {
    sl_describe_observation(out, PR_OBS_FIELDS, SL_COUNT(PR_OBS_FIELDS));
    sl_describe_actions(out, PR_ACTION_TABLE, SL_COUNT(PR_ACTION_TABLE));
    sl_key(out, "roles");
    sl_describe_list(out, "pilot");
    sl_key(out, "agent_roles");
    sl_describe_list(out, "pilot");
    sl_describe_terms(out, PR_TERM_TABLE, SL_COUNT(PR_TERM_TABLE));
    sl_describe_fields(out, "info", PR_INFO_FIELDS, SL_COUNT(PR_INFO_FIELDS));
    sl_describe_fields(out, "render", PR_RENDER_FIELDS, SL_COUNT(PR_RENDER_FIELDS));
    sl_describe_fields(out, "episode", PR_EPISODE_FIELDS, SL_COUNT(PR_EPISODE_FIELDS));
    sl_describe_meaning(out, PR_MEANING, SL_COUNT(PR_MEANING));
    sl_describe_default_bots(out, PR_DEFAULT_BOTS, SL_COUNT(PR_DEFAULT_BOTS));
    sl_describe_comparisons(out, PR_COMPARISONS, SL_COUNT(PR_COMPARISONS));
    sl_describe_aliases(out, PR_ALIASES, SL_COUNT(PR_ALIASES));
    sl_describe_derived(out, PR_DERIVED, SL_COUNT(PR_DERIVED));
    sl_describe_charts(out, PR_CHARTS, SL_COUNT(PR_CHARTS));
    sl_key_string(out, "wandb_project", "asteroid-prospector");
    sl_describe_events(out, PR_EVENT_TABLE, SL_COUNT(PR_EVENT_TABLE));
    pr_describe_reasons(out);
    pr_describe_costs((const ProspectorRules *)rules, out);
}

// ---------------------------------------------------------------- blocks read between steps

SL_FN float pr_used(const ProspectorRules *r, float cumulative, float start, float now) {
    return r->cumulative_counters ? cumulative : sl_max(0.0f, start - now);
}

SL_FN float *pr_put_metrics(const ProspectorRules *r, const ProspectorWorld *w, float *out) {
    const PrCounters *n = &w->count;
    float profit = w->credits - w->start_credits;
    if (r->profit_minus_spend) profit = profit - n->spend;
    int lost = w->ending == PR_ENDED_DESTROYED || w->ending == PR_ENDED_STRANDED;
    *out++ = w->credits;
    *out++ = profit;
    *out++ = profit / (float)sl_imax(1, w->ticks);
    *out++ = lost ? 0.0f : 1.0f;
    *out++ = n->overheat_ticks;
    *out++ = n->encounters;
    *out++ = n->value_lost;
    *out++ = pr_used(r, n->fuel_used, w->start_fuel, w->ship.fuel);
    *out++ = pr_used(r, n->hull_damage, w->start_hull, w->ship.hull);
    *out++ = pr_used(r, n->tool_wear, w->start_tool, w->ship.tool);
    *out++ = n->scans;
    *out++ = n->mining_ticks;
    *out++ = n->load_weight > 0.0f ? n->load_sum / n->load_weight : 0.0f;
    return out;
}

SL_FN void prospector_info(const void *rules, const void *world, float *out) {
    const ProspectorRules *r = (const ProspectorRules *)rules;
    const ProspectorWorld *w = (const ProspectorWorld *)world;
    *out++ = (float)w->action;
    *out++ = (float)w->dt;
    *out++ = (float)w->invalid;
    out = pr_put_metrics(r, w, out);
    *out++ = (float)w->terminated;
    *out++ = (float)w->truncated;
    *out++ = pr_at_station(w) ? 0.0f : 1.0f;
    *out++ = w->ship.time_left;
}

SL_FN float *pr_put(float *out, const float *from, int count) {
    for (int i = 0; i < count; i++) *out++ = from[i];
    return out;
}

SL_FN float *pr_put_ship(const ProspectorRules *r, const ProspectorWorld *w, float *out) {
    float metrics[PR_METRICS];
    pr_put_metrics(r, w, metrics);
    const PrShip *ship = &w->ship;
    float gauges[] = { ship->fuel, ship->hull, ship->heat, ship->tool, ship->total, ship->alert, ship->time_left,
                       (float)w->ticks, w->credits, metrics[1], metrics[3], metrics[12] };
    float supplies[] = { w->value, (float)w->kits, (float)w->stabilizers, (float)w->decoys };
    out = pr_put(out, gauges, SL_COUNT(gauges));
    out = pr_put(out, w->cargo, PR_GOODS);
    return pr_put(out, supplies, SL_COUNT(supplies));
}

SL_FN float *pr_put_market(const ProspectorRules *r, const ProspectorWorld *w, float *out) {
    const PrMarket *m = &w->market;
    out = pr_put(out, m->price, PR_GOODS);
    for (int c = 0; c < PR_GOODS; c++) *out++ = m->price[c] - m->previous[c];
    out = pr_put(out, r->base, PR_GOODS);
    return pr_put(out, m->stock, PR_GOODS);
}

SL_FN float *pr_put_place(const ProspectorWorld *w, float *out) {
    const PrNode *node = &w->nodes[w->node];
    float place[] = { (float)w->node, (float)node->type, node->hazard, (float)w->node_count, (float)node->hops,
                      (float)node->way_home, (float)w->selected, (float)w->escape };
    float last[] = { (float)w->docked, (float)w->action, (float)w->dt, (float)w->invalid, (float)w->ending };
    out = pr_put(out, place, SL_COUNT(place));
    for (int slot = 0; slot < PR_ROCKS; slot++) *out++ = (float)w->steady[slot];
    out = pr_put(out, last, SL_COUNT(last));
    return pr_put(out, w->terms, PR_TERMS);
}

SL_FN float *pr_put_rocks(const ProspectorWorld *w, float *out) {
    float rows[PR_OBSERVATION];
    pr_write_rocks(w, rows);
    for (int slot = 0; slot < PR_ROCKS; slot++) {
        out = pr_put(out, rows + PR_OBS_ROCKS + slot * PR_ROCK_FIELDS, PR_ROCK_FIELDS);
        *out++ = pr_rocks(w)->richness_est[slot];
    }
    return out;
}

// Only what the pilot has seen: types of seen nodes, contents and edges of visited ones.
SL_FN float *pr_put_map(const ProspectorWorld *w, float *out) {
    for (int i = 0; i < PR_NODES; i++) {
        int seen = (int)(w->seen >> i & 1u), visited = (int)(w->visited >> i & 1u);
        *out++ = (float)(seen + visited);
        *out++ = seen ? (float)w->nodes[i].type : -1.0f;
        *out++ = visited ? (float)w->nodes[i].hops : -1.0f;
        *out++ = visited ? (float)w->nodes[i].rocks : -1.0f;
    }
    for (int i = 0; i < PR_NODES; i++) {
        const PrNode *node = &w->nodes[i];
        int edges = w->visited >> i & 1u ? node->edges : 0;
        for (int slot = 0; slot < PR_EDGES; slot++) {
            int there = slot < edges;
            *out++ = there ? (float)node->neighbor[slot] : -1.0f;
            *out++ = there ? (float)node->ticks[slot] : 0.0f;
            *out++ = there ? node->fuel[slot] : 0.0f;
            *out++ = there ? node->threat_est[slot] : 0.0f;
        }
    }
    return out;
}

// What a pilot weighs before acting: fuel of each trip, proceeds of each sale, what forbids each action.
SL_FN void pr_put_choices(const ProspectorRules *r, const ProspectorWorld *w, float *out) {
    const PrNode *node = &w->nodes[w->node];
    float factor = pr_trip_factor(r, w);
    for (int slot = 0; slot < PR_EDGES; slot++) *out++ = slot < node->edges ? node->fuel[slot] * factor : 0.0f;
    for (int i = 0; i < 3 * PR_GOODS; i++) {
        const PrRow *row = &r->rows[PR_SELL + i];
        int c = row->index;
        *out++ = pr_at_station(w) ? pr_proceeds(r, &w->market, c, row->share * w->cargo[c]) : 0.0f;
    }
    for (int i = 0; i < PR_ACTIONS; i++) *out++ = (float)pr_why_not(r, w, i);
}

SL_FN void prospector_render(const void *rules, const void *world, float *out) {
    const ProspectorRules *r = (const ProspectorRules *)rules;
    const ProspectorWorld *w = (const ProspectorWorld *)world;
    out = pr_put_ship(r, w, out);
    out = pr_put_market(r, w, out);
    out = pr_put_place(w, out);
    out = pr_put_rocks(w, out);
    out = pr_put_map(w, out);
    pr_put_choices(r, w, out);
}

SL_FN int pr_bits_set(uint32_t bits) {
    int count = 0;
    for (; bits; bits &= bits - 1u) count++;
    return count;
}

SL_FN void prospector_episode(const void *rules, const void *world, float *out) {
    const ProspectorRules *r = (const ProspectorRules *)rules;
    const ProspectorWorld *w = (const ProspectorWorld *)world;
    const PrCounters *n = &w->count;
    float ends[] = { (float)w->ending, n->decisions, (float)w->ticks, n->invalid };
    float money[] = { n->spend, n->proceeds, n->slippage, n->mined_units, n->mined_value, n->fractures, n->arrivals,
                      n->arrivals > 0.0f ? n->arrival_load / n->arrivals : 0.0f, (float)w->node_count, (float)pr_bits_set(w->visited),
                      w->ending == PR_ENDED_DESTROYED ? 1.0f : 0.0f, w->ending == PR_ENDED_STRANDED ? 1.0f : 0.0f };
    *out++ = n->shaped;
    *out++ = n->sparse;
    out = pr_put_metrics(r, w, out);
    out = pr_put(out, ends, SL_COUNT(ends));
    out = pr_put(out, w->sums, PR_TERMS);
    pr_put(out, money, SL_COUNT(money));
}

SL_FN int prospector_events(const void *rules, const void *world, SlEvent *out, int room) {
    const ProspectorWorld *w = (const ProspectorWorld *)world;
    (void)rules;
    int count = sl_imin(sl_imin(w->event_count, SL_MAX_EVENTS), room);
    for (int i = 0; i < count; i++) out[i] = w->events[i];
    return count;
}

// ---------------------------------------------------------------- reset, observe and step with the signatures of game.h

SL_FN void pr_game_reset(const void *rules, void *world, uint64_t seed) {
    prospector_reset((const ProspectorRules *)rules, (ProspectorWorld *)world, seed);
}

SL_FN void pr_game_observe(const void *rules, const void *world, const SlView *view) {
    prospector_observe((const ProspectorRules *)rules, (const ProspectorWorld *)world, view);
}

SL_FN void pr_game_step(const void *rules, void *world, const SlView *view) {
    prospector_step((const ProspectorRules *)rules, (ProspectorWorld *)world, view);
}
