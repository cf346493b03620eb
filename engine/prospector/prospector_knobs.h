// prospector_knobs.h: every setting of the game in one list, read three times: as the fields of
// ProspectorRules, as the code that fills them, and as the table that the library describes itself with.
//
// A row: name, lowest, highest, default in `balanced`, default in `classic`, unit, meaning.
// `classic` holds the numbers of the game's first public version, kept as an oracle; `balanced` is the
// default. A rule that only one of them has is a flag or a choice, so that repairs switch one by one.
#ifndef PROSPECTOR_KNOBS_H
#define PROSPECTOR_KNOBS_H

#define PROSPECTOR_KNOBS(FLOAT, INTEGER, FLAG, CHOICE) \
/* ---- the episode and how it starts ---- */ \
INTEGER(time_max, 1, 1000000, 20000, 20000, "ticks", "Time budget of an episode; when it runs out the episode is truncated.") \
CHOICE(reward, 0, 0, "shaped|sparse", "What a step pays: all reward terms, or only money and the two disasters.") \
FLAG(sparse_time, 0, 0, "Charge the time term in the sparse reward too.") \
FLOAT(start_fuel_min, 0, 1000, 1000, 1000, "fuel", "Least fuel at the start; below start_fuel_max the start is drawn.") \
FLOAT(start_fuel_max, 0, 1000, 1000, 1000, "fuel", "Most fuel at the start.") \
FLOAT(start_hull_min, 1, 100, 100, 100, "hull", "Least hull at the start.") \
FLOAT(start_hull_max, 1, 100, 100, 100, "hull", "Most hull at the start.") \
FLOAT(start_tool_min, 0, 100, 100, 100, "tool", "Least tool condition at the start.") \
FLOAT(start_tool_max, 0, 100, 100, 100, "tool", "Most tool condition at the start.") \
FLOAT(start_credits_min, 0, 1000000, 500, 0, "credits", "Least money at the start.") \
FLOAT(start_credits_max, 0, 1000000, 500, 0, "credits", "Most money at the start.") \
INTEGER(start_kits, 0, 12, 3, 3, "kits", "Repair kits at the start.") \
INTEGER(start_stabilizers, 0, 12, 2, 2, "stabilizers", "Stabilizers at the start.") \
INTEGER(start_decoys, 0, 12, 1, 1, "decoys", "Decoys at the start.") \
/* ---- curriculum: each scales one difficulty, 0 switches it off ---- */ \
FLOAT(pirate_scale, 0, 2, 1, 1, "", "Multiplies the chance of meeting pirates.") \
FLOAT(hazard_scale, 0, 2, 1, 1, "", "Multiplies node hazard and edge threat where they do damage.") \
FLOAT(fracture_scale, 0, 2, 1, 1, "", "Multiplies the chance that a mined asteroid breaks up.") \
FLOAT(scan_noise_scale, 0, 2, 1, 1, "", "Multiplies the error of scans.") \
FLOAT(price_noise_scale, 0, 2, 1, 1, "", "Multiplies the random part of prices, shocks included.") \
FLOAT(price_impact_scale, 0, 2, 1, 1, "", "Multiplies how far own sales press prices.") \
/* ---- reward coefficients ---- */ \
FLOAT(reward_sell, 0, 10, 1, 1, "per 1000 credits", "Change of money; purchases are negative.") \
FLOAT(reward_extract, 0, 10, 0.02, 0.02, "per 1000 credits", "Value gained in the hold.") \
FLOAT(reward_cargo, 0, 10, 0, 0, "per 1000 credits", "Value in the hold at base prices: paid as it grows, taken back as it is sold or lost, so that it adds up to nothing.") \
FLOAT(reward_fuel, 0, 10, 0.02, 0.10, "per 100 fuel", "Price of burnt fuel.") \
FLOAT(reward_time, 0, 1, 0, 0.001, "per tick", "Price of time.") \
FLOAT(reward_wear, 0, 10, 0.01, 0.05, "per 10 tool", "Price of tool wear.") \
FLOAT(reward_damage, 0, 10, 0.04, 1.0, "per 10 hull", "Price of hull damage.") \
FLOAT(reward_hull, 0, 100, 0, 0, "per square of the missing share", "Price of missing hull: charged as it is lost, paid back as it is repaired.") \
FLOAT(reward_fracture, 0, 100, 0, 0, "per yield a tick", "Price of a broken asteroid: its richness, as far as it was not depleted, times the share of the episode that is left.") \
FLOAT(reward_heat, 0, 10, 0.20, 0.20, "per square of excess", "Price of heat above the knee, squared.") \
FLOAT(reward_scan, 0, 1, 0.005, 0.005, "per scan", "Price of a scan.") \
FLOAT(reward_invalid, 0, 1, 0.01, 0.01, "per action", "Price of an invalid action.") \
FLOAT(reward_pirate, 0, 10, 0.02, 1.0, "per 1000 credits", "Price of cargo lost to pirates, on top of not selling it.") \
FLOAT(reward_stranded, 0, 1000, 5, 50, "once", "Penalty of being stranded.") \
FLOAT(reward_destroyed, 0, 1000, 5, 100, "once", "Penalty of losing the ship.") \
FLOAT(reward_finish, 0, 10, 0.10, 0.002, "per 1000 credits", "Bonus on the money in hand when an episode ends well.") \
/* ---- repairs that are rules: each can be switched alone ---- */ \
FLAG(extract_new_units, 1, 0, "W2: the extract term pays only newly mined or refined units, at the price before the step.") \
FLAG(profit_minus_spend, 0, 1, "W3: subtract spending once more from the profit metric, as the first version did.") \
FLAG(jettison_needs_cargo, 1, 0, "W7: jettison is valid only when that commodity is aboard.") \
FLAG(dock_once, 1, 0, "W7: one dock relief an arrival, and none without alert.") \
FLAG(hold_twice_for_unknown, 0, 1, "W7: an id outside 0..68 takes the hold effect twice, as the first version did.") \
FLAG(edge_pirates_everywhere, 1, 0, "W8: trips to the station meet edge pirates too.") \
FLAG(fuel_required, 1, 0, "W8: an action that would empty the tank is invalid; without fuel for any edge one is stranded.") \
FLAG(exposed_on_arrival, 0, 1, "W8: the ticks of a trip also count as time spent at its destination.") \
FLAG(shuffle_slots, 1, 0, "W9: neighbour slots are shuffled after generation.") \
FLAG(parent_has_room, 1, 0, "W9: a node's parent is chosen among nodes with a free slot, so no node is cut off.") \
FLAG(price_norm_by_max, 1, 0, "W10: observed price is price / maximum instead of price / base cut at 1.") \
FLAG(richness_signal, 1, 0, "W11: scans read richness too; entry 66 shows the selected asteroid's estimate / 4.") \
CHOICE(refine_rule, 1, 0, "isotopes|densify", "W14: iron and nickel into rare isotopes, or ores into denser goods at a modest premium.") \
FLAG(refine_at_station, 0, 1, "W14: refining is allowed at the station.") \
FLAG(timers_start_next_step, 1, 0, "W15: a timer set in a step begins to run in the next one.") \
FLAG(timers_cleared_by_travel, 1, 0, "W15: travel ends stabilised slots, which otherwise leak to the next node.") \
FLAG(cash_out_at_station, 1, 0, "W18: cashing out is possible only at the station.") \
FLAG(cash_out_needs_profit, 1, 0, "W18: cashing out takes more money than one began with; else quitting at once is what a learner learns.") \
FLAG(sell_along_curve, 1, 0, "W19: a sale walks down the stock curve, so splitting it gains nothing.") \
FLAG(charge_invalid_scans, 0, 1, "W20: focused and deep scans without a target still cost fuel, alert and the scan term.") \
FLAG(useless_is_invalid, 1, 0, "W21: actions that could change nothing are invalid.") \
FLAG(cumulative_counters, 1, 0, "W22: fuel used, hull damage and tool wear add up and never shrink.") \
FLAG(stock_decay_per_tick, 1, 0, "W23: the station's stock decays per tick instead of per decision.") \
FLAG(way_home_signal, 1, 0, "W24: entry 67 shows (slot + 1) / 6 of the first hop of a shortest way home.") \
/* ---- world generation ---- */ \
INTEGER(nodes_min, 2, 32, 8, 8, "nodes", "Fewest nodes, the station included.") \
INTEGER(nodes_max, 2, 32, 32, 32, "nodes", "Most nodes, the station included.") \
FLOAT(hazard_share, 0, 1, 0.25, 0.25, "", "Chance that a field node is a hazard node.") \
FLOAT(hazard_min, 0, 1, 0.05, 0.05, "", "Least hazard of a field node.") \
FLOAT(hazard_max, 0, 1, 0.35, 0.35, "", "Most hazard of a field node before the hazard bonus.") \
FLOAT(pirate_min, 0, 1, 0.05, 0.05, "", "Least pirate intensity of a field node.") \
FLOAT(pirate_max, 0, 1, 0.30, 0.30, "", "Most pirate intensity of a field node before the hazard bonus.") \
FLOAT(hazard_node_hazard, 0, 1, 0.25, 0.25, "", "What a hazard node adds to its hazard.") \
FLOAT(hazard_node_pirate, 0, 1, 0.12, 0.12, "", "What a hazard node adds to its pirate intensity.") \
INTEGER(edge_ticks_min, 1, 8, 1, 1, "ticks", "Shortest trip along one edge.") \
INTEGER(edge_ticks_max, 1, 8, 8, 8, "ticks", "Longest trip along one edge.") \
FLOAT(edge_fuel_min, 0, 160, 20, 20, "fuel", "Cheapest edge for an empty ship.") \
FLOAT(edge_fuel_max, 0, 160, 112, 112, "fuel", "Dearest edge for an empty ship.") \
FLOAT(edge_threat_sd, 0, 1, 0.05, 0.05, "", "Spread of an edge's threat around the mean of its ends.") \
INTEGER(asteroids_min, 1, 16, 5, 5, "asteroids", "Fewest asteroids of a field node.") \
INTEGER(asteroids_max, 1, 16, 16, 16, "asteroids", "Most asteroids of a field node.") \
FLOAT(geology, 0, 1, 0.80, 0, "", "W11: how far the asteroids of a node share one mix; 0 makes them independent.") \
FLOAT(richness_log_mean, -3, 3, -0.35, -0.2, "ln", "Mean of the logarithm of richness.") \
FLOAT(richness_log_sd, 0, 2, 0.9, 0.65, "ln", "Spread of the logarithm of richness.") \
FLOAT(richness_hazard_gain, 0, 2, 0.50, 0, "ln", "W11: what a hazard node adds to the logarithm of richness.") \
FLOAT(richness_hop_gain, 0, 1, 0.10, 0, "ln a hop", "W11: what each hop from the station adds to the logarithm of richness.") \
FLOAT(richness_min, 0.01, 4, 0.2, 0.2, "", "Poorest asteroid.") \
FLOAT(richness_max, 0.01, 4, 4.0, 4.0, "", "Richest asteroid.") \
FLOAT(richness_prior, 0, 4, 1.0, 1.0, "", "Richness estimate of an asteroid that was never scanned.") \
FLOAT(noise_min, 0, 1, 0.04, 0.04, "", "Clearest asteroid to scan.") \
FLOAT(noise_max, 0, 1, 0.22, 0.22, "", "Murkiest asteroid to scan.") \
/* ---- moving ---- */ \
FLOAT(load_fuel, 0, 2, 0.5, 0.5, "", "Extra fuel share of a trip with a full hold.") \
FLOAT(exposure_hull, 0, 5, 0.35, 0.7, "hull a tick", "Hull damage at hazard or threat 1.") \
FLOAT(exposure_heat, 0, 5, 0.5, 0.5, "heat a tick", "Heat gained at hazard or threat 1.") \
FLOAT(exposure_alert, 0, 5, 0.4, 0.8, "alert a tick", "Alert gained at hazard or threat 1.") \
FLOAT(edge_hull_spread, 0, 1, 0.15, 0.15, "", "Half width of the damage factor of a trip around 1.") \
FLOAT(node_hull_spread, 0, 1, 0.20, 0.20, "", "Half width of the damage factor at a node around 1.") \
INTEGER(hold_ticks, 1, 8, 1, 1, "ticks", "Duration of holding.") \
FLOAT(hold_alert, 0, 100, 3, 3, "alert", "Alert that holding takes away.") \
FLOAT(hold_heat, 0, 100, 2.5, 2.5, "heat", "Heat that holding takes away beside dissipation.") \
INTEGER(burn_ticks, 1, 8, 1, 1, "ticks", "Duration of an emergency burn.") \
FLOAT(burn_fuel, 0, 1000, 18, 18, "fuel", "Fuel of an emergency burn.") \
FLOAT(burn_alert, 0, 100, 6, 10, "alert", "Alert raised by an emergency burn.") \
INTEGER(burn_escape_ticks, 0, 100, 6, 4, "ticks", "How long an emergency burn shakes off pirates.") \
/* ---- sensing ---- */ \
INTEGER(wide_ticks, 1, 8, 3, 3, "ticks", "Duration of a wide scan.") \
FLOAT(wide_fuel, 0, 100, 5, 5, "fuel", "Fuel of a wide scan.") \
FLOAT(wide_alert, 0, 100, 2, 4, "alert", "Alert raised by a wide scan.") \
FLOAT(wide_blend, 0, 1, 0.45, 0.22, "", "Weight of a wide scan's reading in the new estimate.") \
FLOAT(wide_gain, 0, 1, 0.20, 0.10, "", "Confidence gained by a wide scan.") \
FLOAT(wide_noise, 0, 5, 1.35, 1.35, "", "Noise multiplier of a wide scan.") \
INTEGER(focused_ticks, 1, 8, 2, 2, "ticks", "Duration of a focused scan.") \
FLOAT(focused_fuel, 0, 100, 4, 4, "fuel", "Fuel of a focused scan.") \
FLOAT(focused_alert, 0, 100, 1.5, 3, "alert", "Alert raised by a focused scan.") \
FLOAT(focused_blend, 0, 1, 0.60, 0.42, "", "Weight of a focused scan's reading.") \
FLOAT(focused_gain, 0, 1, 0.30, 0.20, "", "Confidence gained by a focused scan.") \
FLOAT(focused_noise, 0, 5, 1.0, 1.0, "", "Noise multiplier of a focused scan.") \
INTEGER(deep_ticks, 1, 8, 4, 4, "ticks", "Duration of a deep scan.") \
FLOAT(deep_fuel, 0, 100, 8, 8, "fuel", "Fuel of a deep scan.") \
FLOAT(deep_alert, 0, 100, 3, 6, "alert", "Alert raised by a deep scan.") \
FLOAT(deep_blend, 0, 1, 0.80, 0.80, "", "Weight of a deep scan's reading.") \
FLOAT(deep_gain, 0, 1, 0.50, 0.45, "", "Confidence gained by a deep scan.") \
FLOAT(deep_noise, 0, 5, 0.55, 0.55, "", "Noise multiplier of a deep scan.") \
FLOAT(richness_noise, 0, 10, 2.0, 2.0, "", "Relative error of a richness reading per unit of scan noise.") \
INTEGER(listen_ticks, 1, 8, 2, 2, "ticks", "Duration of listening.") \
FLOAT(listen_blend, 0, 1, 0.75, 0.75, "", "Weight of a reading in the new threat estimate.") \
FLOAT(listen_sd, 0, 1, 0.08, 0.08, "", "Error of a threat reading.") \
INTEGER(select_ticks, 1, 8, 1, 1, "ticks", "Duration of selecting an asteroid.") \
/* ---- mining ---- */ \
INTEGER(mine_ticks, 1, 8, 1, 1, "ticks", "Duration of one mining action.") \
INTEGER(mine_repeat, 1, 16, 1, 1, "", "A mining decision goes on for so many mining actions, until it cannot, heat passes the knee or pirates come.") \
FLOAT(mine_doubt, 0, 4, 4, 4, "richness", "A mining decision also ends when one action lowers the estimate of its asteroid's richness by more than this; 4 never does.") \
FLOAT(mining_reveals, 0, 1, 0.5, 0, "", "W11: how far a mining action moves the estimate of its asteroid's richness towards the truth.") \
FLOAT(conservative_yield, 0, 10, 0.5, 0.80, "", "Yield multiplier of conservative mining.") \
FLOAT(conservative_sd, 0, 1, 0.05, 0.05, "ln", "Spread of its yield.") \
FLOAT(conservative_heat, 0, 100, 2.0, 2.0, "heat", "Heat it adds.") \
FLOAT(conservative_wear, 0, 100, 0.10, 0.8, "tool", "Tool condition it costs.") \
FLOAT(conservative_alert, 0, 100, 0.3, 1.2, "alert", "Alert it raises.") \
FLOAT(conservative_fracture, -10, 10, -1.0, -0.7, "logit", "Its fracture bias.") \
FLOAT(standard_yield, 0, 10, 0.75, 1.15, "", "Yield multiplier of standard mining.") \
FLOAT(standard_sd, 0, 1, 0.10, 0.10, "ln", "Spread of its yield.") \
FLOAT(standard_heat, 0, 100, 4.0, 4.0, "heat", "Heat it adds.") \
FLOAT(standard_wear, 0, 100, 0.20, 1.6, "tool", "Tool condition it costs.") \
FLOAT(standard_alert, 0, 100, 0.6, 2.2, "alert", "Alert it raises.") \
FLOAT(standard_fracture, -10, 10, 0.0, 0.0, "logit", "Its fracture bias.") \
FLOAT(aggressive_yield, 0, 10, 1.1, 1.55, "", "Yield multiplier of aggressive mining.") \
FLOAT(aggressive_sd, 0, 1, 0.16, 0.16, "ln", "Spread of its yield.") \
FLOAT(aggressive_heat, 0, 100, 7.0, 7.0, "heat", "Heat it adds.") \
FLOAT(aggressive_wear, 0, 100, 0.45, 2.8, "tool", "Tool condition it costs.") \
FLOAT(aggressive_alert, 0, 100, 1.2, 4.0, "alert", "Alert it raises.") \
FLOAT(aggressive_fracture, -10, 10, 1.3, 0.8, "logit", "Its fracture bias.") \
FLOAT(tool_floor, 0, 1, 0.4, 0.4, "", "Efficiency of a worn-out tool.") \
FLOAT(heat_knee, 1, 99, 60, 70, "heat", "Heat above which mining loses efficiency, fractures grow and the heat term charges.") \
FLOAT(heat_floor, 0, 1, 0.1, 0.1, "", "Least heat efficiency.") \
FLOAT(depletion_per_unit, 0, 1, 0.003, 0.01, "", "Depletion by one unit loaded.") \
FLOAT(fracture_base, -20, 10, -8.0, -3.1, "logit", "Fracture logit before everything else.") \
FLOAT(fracture_stability, -20, 20, 4.0, 2.5, "logit", "What full instability adds.") \
FLOAT(fracture_heat, -20, 20, 6.0, 2.2, "logit", "What heat adds per 100 above the knee.") \
FLOAT(fracture_tool, -20, 20, 1.5, 1.5, "logit", "What a worn-out tool adds.") \
FLOAT(fracture_depletion, -20, 20, 6.0, 0, "logit", "W12: what full depletion adds, by its square.") \
FLOAT(fracture_stabilized, 0, 20, 2.0, 1.1, "logit", "What a stabilised slot takes away.") \
FLOAT(fracture_hull, 0, 100, 25, 12, "hull", "Largest hull damage of a fracture.") \
FLOAT(fracture_hull_low, 0, 1, 0.5, 0.5, "", "Smallest damage as a share of the largest.") \
FLOAT(fracture_hazard, 0, 1, 0.05, 0.1, "", "Hazard that the debris adds to the node.") \
/* ---- other ship actions ---- */ \
INTEGER(stabilize_ticks, 1, 8, 2, 2, "ticks", "Duration of stabilising.") \
INTEGER(stabilize_buff_ticks, 0, 200, 30, 6, "ticks", "How long a slot stays stabilised.") \
INTEGER(refine_ticks, 1, 8, 2, 2, "ticks", "Duration of refining.") \
FLOAT(refine_fuel, 0, 100, 4, 4, "fuel", "Fuel of refining.") \
FLOAT(refine_heat, 0, 100, 6, 6, "heat", "Heat of refining.") \
FLOAT(refine_alert, 0, 100, 0.5, 3, "alert", "Alert raised by refining.") \
FLOAT(refine_share, 0, 1, 0.25, 0.15, "", "Share of the refinable ore taken by one action.") \
FLOAT(refine_yield, 0, 10, 0.65, 0.65, "", "Rare isotopes from one unit, under the rule `isotopes`.") \
FLOAT(refine_premium, 0, 10, 0.20, 0, "", "Value gained at base prices, under the rule `densify`.") \
INTEGER(cooldown_ticks, 1, 8, 2, 2, "ticks", "Duration of active cooldown.") \
FLOAT(cooldown_fuel, 0, 100, 2, 2, "fuel", "Fuel of active cooldown.") \
FLOAT(cooldown_heat, 0, 100, 20, 20, "heat", "Heat that active cooldown takes away.") \
FLOAT(cooldown_alert, 0, 100, 0.5, 1, "alert", "Alert raised by active cooldown.") \
INTEGER(maintenance_ticks, 1, 8, 2, 2, "ticks", "Duration of tool maintenance.") \
FLOAT(maintenance_tool, 0, 100, 40, 25, "tool", "Tool condition that a kit restores.") \
INTEGER(patch_ticks, 1, 8, 2, 2, "ticks", "Duration of a hull patch.") \
FLOAT(patch_hull, 0, 100, 25, 20, "hull", "Hull that a kit restores.") \
INTEGER(jettison_ticks, 1, 8, 1, 1, "ticks", "Duration of jettison.") \
FLOAT(jettison_alert, 0, 100, 0, 8, "alert", "Alert that any jettison takes away.") \
FLOAT(jettison_alert_per_value, 0, 100, 8, 0, "alert per 1000 credits", "W7: alert that the dropped value takes away.") \
/* ---- the station ---- */ \
INTEGER(dock_ticks, 1, 8, 1, 1, "ticks", "Duration of lying low in port.") \
FLOAT(dock_alert, 0, 100, 40, 20, "alert", "Alert that lying low takes away.") \
INTEGER(trade_ticks, 1, 8, 1, 1, "ticks", "Duration of a sale or a purchase.") \
FLOAT(fuel_small, 0, 1000, 120, 120, "fuel", "Fuel in a small purchase.") \
FLOAT(fuel_medium, 0, 1000, 260, 260, "fuel", "Fuel in a medium purchase.") \
FLOAT(fuel_large, 0, 1000, 480, 480, "fuel", "Fuel in a large purchase.") \
FLOAT(fuel_small_price, 0, 100000, 180, 60, "credits", "Price of a small purchase.") \
FLOAT(fuel_medium_price, 0, 100000, 360, 120, "credits", "Price of a medium purchase.") \
FLOAT(fuel_large_price, 0, 100000, 630, 210, "credits", "Price of a large purchase.") \
FLOAT(kit_price, 0, 100000, 200, 150, "credits", "Price of a repair kit.") \
FLOAT(stabilizer_price, 0, 100000, 175, 175, "credits", "Price of a stabilizer.") \
FLOAT(decoy_price, 0, 100000, 110, 110, "credits", "Price of a decoy.") \
INTEGER(overhaul_ticks, 1, 8, 3, 3, "ticks", "Duration of an overhaul.") \
FLOAT(overhaul_price, 0, 100000, 600, 280, "credits", "Price of an overhaul.") \
INTEGER(cash_out_ticks, 1, 8, 1, 1, "ticks", "Duration of cashing out.") \
FLOAT(slippage_linear, 0, 1, 0.25, 0.25, "", "Slippage per share of the stock, when sales do not walk the curve.") \
FLOAT(slippage_root, 0, 1, 0.20, 0.20, "", "Slippage per root of that share.") \
FLOAT(slippage_max, 0, 1, 0.70, 0.70, "", "Most slippage of one sale.") \
/* ---- passive dynamics ---- */ \
FLOAT(heat_dissipation, 0, 100, 1.5, 2.5, "heat a tick", "Heat that leaves by itself.") \
FLOAT(alert_decay, 0, 100, 0.25, 0, "alert a tick", "Alert that fades by itself.") \
FLOAT(overheat_hull, 0, 100, 1.25, 1.25, "hull per heat", "Hull damage by heat above 100.") \
FLOAT(pirates_base, -20, 10, -9.6, -4.0, "logit", "Pirate logit before everything else.") \
FLOAT(pirates_intensity, 0, 20, 3.0, 3.0, "logit", "What intensity 1 adds.") \
FLOAT(pirates_alert, 0, 20, 2.2, 2.2, "logit", "What full alert adds.") \
FLOAT(pirates_cargo, 0, 20, 0.8, 0.8, "logit", "What each e-fold of cargo value adds.") \
FLOAT(pirates_escape, 0, 20, 2.8, 2.8, "logit", "What an emergency burn takes away.") \
FLOAT(pirates_loss_min, 0, 1, 0.08, 0.08, "", "Least share of cargo lost.") \
FLOAT(pirates_loss_max, 0, 1, 0.20, 0.20, "", "Most share of cargo lost.") \
FLOAT(pirates_hull_min, 0, 100, 1, 1, "hull", "Least hull lost.") \
FLOAT(pirates_hull_max, 0, 100, 4, 4, "hull", "Most hull lost.") \
FLOAT(pirates_raise_alert, 0, 100, 8, 8, "alert", "Alert raised by an encounter.") \
FLOAT(decoy_chance, 0, 1, 0.6, 0.6, "", "Chance that a decoy aboard is spent and works.") \
FLOAT(decoy_loss, 0, 1, 0.3, 0.3, "", "What a working decoy leaves of the loss.") \
FLOAT(decoy_hull, 0, 1, 0.3, 1.0, "", "W15: what a working decoy leaves of the hull damage.") \
/* ---- the market ---- */ \
FLOAT(base_iron, 1, 1000, 45, 45, "credits", "Base price of iron.") \
FLOAT(base_nickel, 1, 1000, 55, 55, "credits", "Base price of nickel.") \
FLOAT(base_water_ice, 1, 1000, 85, 85, "credits", "Base price of water ice.") \
FLOAT(base_pge, 1, 1000, 145, 145, "credits", "Base price of platinum group elements.") \
FLOAT(base_rare_isotopes, 1, 1000, 210, 210, "credits", "Base price of rare isotopes.") \
FLOAT(base_volatiles, 1, 1000, 120, 120, "credits", "Base price of volatiles.") \
FLOAT(min_iron, 0, 1000, 12, 12, "credits", "Lowest price of iron.") \
FLOAT(min_nickel, 0, 1000, 15, 15, "credits", "Lowest price of nickel.") \
FLOAT(min_water_ice, 0, 1000, 20, 20, "credits", "Lowest price of water ice.") \
FLOAT(min_pge, 0, 1000, 30, 50, "credits", "Lowest price of platinum group elements.") \
FLOAT(min_rare_isotopes, 0, 1000, 42, 80, "credits", "Lowest price of rare isotopes.") \
FLOAT(min_volatiles, 0, 1000, 24, 30, "credits", "Lowest price of volatiles.") \
FLOAT(max_iron, 1, 5000, 180, 180, "credits", "Highest price of iron.") \
FLOAT(max_nickel, 1, 5000, 200, 200, "credits", "Highest price of nickel.") \
FLOAT(max_water_ice, 1, 5000, 240, 240, "credits", "Highest price of water ice.") \
FLOAT(max_pge, 1, 5000, 320, 320, "credits", "Highest price of platinum group elements.") \
FLOAT(max_rare_isotopes, 1, 5000, 420, 420, "credits", "Highest price of rare isotopes.") \
FLOAT(max_volatiles, 1, 5000, 300, 300, "credits", "Highest price of volatiles.") \
FLOAT(stock_min, 0, 500, 20, 20, "units", "Least opening stock of a commodity at the station.") \
FLOAT(stock_max, 0, 500, 120, 120, "units", "Most opening stock of a commodity at the station.") \
FLOAT(period_min, 10, 10000, 180, 180, "ticks", "Shortest price cycle.") \
FLOAT(period_max, 10, 10000, 380, 380, "ticks", "Longest price cycle.") \
FLOAT(amplitude_min, 0, 1, 0.10, 0.10, "of base", "Smallest price cycle.") \
FLOAT(amplitude_max, 0, 1, 0.30, 0.30, "of base", "Largest price cycle.") \
FLOAT(price_noise, 0, 1, 0.08, 0.03, "of base", "Spread of price noise: at rest when it has memory, else per root of a tick.") \
FLOAT(price_noise_memory, 0, 10000, 40, 0, "ticks", "W10: how long price noise lasts; 0 draws it anew at each step.") \
FLOAT(shock_rate, 0, 1, 0.0008, 0, "a tick", "W10: chance of a price shock somewhere in the market; 0 draws nothing.") \
FLOAT(shock_min, 0, 2, 0.25, 0, "of base", "Smallest shock.") \
FLOAT(shock_max, 0, 2, 0.60, 0, "of base", "Largest shock.") \
FLOAT(shock_memory, 1, 10000, 120, 120, "ticks", "How long a shock lasts.") \
FLOAT(stock_price, 0, 1, 0, 0.04, "credits a unit", "Price drop per unit in stock.") \
FLOAT(sales_price, 0, 1, 0, 0.05, "credits a unit", "Price drop per unit sold recently.") \
FLOAT(sales_memory, 1, 10000, 14, 14, "ticks", "How long recent sales are remembered.") \
FLOAT(stock_keep, 0, 1, 0.998, 0.998, "", "Share of the stock that stays, a tick or a decision.") \
FLOAT(stock_depth, 1, 100000, 400, 200, "units", "W19: units in stock that press a price to 1/e above its minimum, when sales walk the curve.") \
FLOAT(trace_units, 0, 1, 0.01, 0.01, "units", "W21: less than this counts as none.")

#endif
