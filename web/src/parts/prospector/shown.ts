import { one, type Shown } from "../player/known";

const shown: Shown = {
  outcome: [
    { title: "Profit", unit: "credits an episode", columns: [["profit_mean", "mean"], ["profit_median", "median"]] },
    one("survival_rate", "Survival", "share of episodes", true),
  ],
  groups: [
    {
      title: "Risk",
      note: "What endangers the ship, and what it costs.",
      charts: [
        { title: "How episodes end badly", unit: "share of episodes", percent: true, columns: [["stranded_rate", "stranded"], ["destroyed_rate", "destroyed"]] },
        one("overheat_ticks_mean", "Overheated", "ticks an episode"),
        one("pirate_encounters_mean", "Pirates met", "encounters an episode"),
        one("value_lost_to_pirates_mean", "Lost to pirates", "credits an episode"),
        one("hull_damage_per_1000_ticks", "Hull damage", "hull in 1,000 ticks"),
        one("pirates_per_1000_ticks", "Pirates in a while", "encounters in 1,000 ticks"),
        one("loss_per_encounter", "Loss a pirate", "credits an encounter"),
        one("risk_adjusted_profit", "Profit, adjusted for risk", "credits an episode"),
      ],
    },
    {
      title: "Efficiency",
      note: "What an episode costs and what comes of it.",
      charts: [
        one("profit_per_tick_mean", "Profit a tick", "credits a tick"),
        one("mining_ticks_mean", "Mining", "ticks an episode"),
        one("scan_count_mean", "Scans", "scans an episode"),
        one("fuel_used_mean", "Fuel used", "fuel an episode"),
        one("tool_wear_mean", "Tool wear", "tool an episode"),
        { ...one("invalid_action_rate", "Invalid actions", "share of env steps", true), pilotOnly: true },
        one("profit_per_fuel", "Profit a unit of fuel", "credits a unit"),
        one("ore_value_per_mining_tick", "Ore a mining tick", "credits a tick"),
        one("credits_per_scan", "Earned a scan", "credits a scan"),
        one("cargo_utilization_avg_mean", "Hold in use", "share of the hold", true),
        one("arrival_load_mean", "Hold on arrival", "share of the hold", true),
        one("slippage_mean", "Lost to slippage", "credits an episode"),
        one("invalid_per_decision", "Invalid decisions", "share of decisions", true),
      ],
    },
  ],
  headlines: [one("profit_mean", "Profit", "credits an episode"), one("survival_rate", "Survival", "share of episodes", true)],
  logged: ["profit_mean", "survival_rate"],
  summary: ["profit_mean", "survival_rate"],
  loudEvents: ["destroyed", "stranded", "cash_out", "pirate_encounter", "truncated"],
  evaluated: { column: "net_profit_mean", title: "Profit", unit: "credits an episode" },
  survival: { column: "survival_rate", title: "Survival", line: "survived" },
  replayMeasure: { name: "net_profit", label: "profit" },
};

export default shown;
