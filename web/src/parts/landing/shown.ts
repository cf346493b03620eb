import type { Shown } from "../player/known";

const shown: Shown = {
  outcome: [],
  groups: [],
  headlines: [],
  logged: [],
  summary: [],
  loudEvents: ["touchdown", "crash", "empty", "out_of_bounds", "timeout"],
};

export default shown;
