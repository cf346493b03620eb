// Figures that follow from others, as `sandlot plot` draws them: src/sandlot/media/derived.py has the same formulas,
// and tests/web/test_analytics.py holds the two together.
import { numberOf, type Row } from "./rows";

const RISK_OF_DEATH = 500; // credits that a lost ship is worth in the risk-adjusted profit

type Get = (column: string) => number | null;

/** Missing where there is nothing to divide by: a pilot that never scans has no figure a scan. */
function ratio(above: number | null, below: number | null, times = 1): number | null {
  return above === null || below === null || below <= 0 ? null : (times * above) / below;
}

export const DERIVED: Record<string, (get: Get) => number | null> = {
  hull_damage_per_1000_ticks: (get) => ratio(get("hull_damage_mean"), get("ticks_mean"), 1000),
  loss_per_encounter: (get) => ratio(get("value_lost_to_pirates_mean"), get("pirate_encounters_mean")),
  pirates_per_1000_ticks: (get) => ratio(get("pirate_encounters_mean"), get("ticks_mean"), 1000),
  risk_adjusted_profit: (get) => {
    const [profit, survival] = [get("net_profit_mean"), get("survival_mean")];
    return profit === null || survival === null ? null : profit - RISK_OF_DEATH * (1 - survival);
  },
  profit_per_fuel: (get) => ratio(get("net_profit_mean"), get("fuel_used_mean")),
  ore_value_per_mining_tick: (get) => ratio(get("mined_value_mean"), get("mining_ticks_mean")),
  credits_per_scan: (get) => ratio(get("net_profit_mean"), get("scan_count_mean")),
  invalid_per_decision: (get) => ratio(get("invalid_actions_mean"), get("decisions_mean")),
};

/** The row with every derived figure that its columns allow. */
export function withDerived(row: Row): Row {
  const made: Record<string, number> = {};
  for (const [name, formula] of Object.entries(DERIVED)) {
    const value = formula((column) => numberOf(row, column));
    if (value !== null) made[name] = value;
  }
  return { ...row, ...made };
}
