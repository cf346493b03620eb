import type { Shown } from "../player/known";

const shown: Shown = {
  outcome: [],
  groups: [],
  headlines: [],
  logged: [],
  summary: [],
  loudEvents: ["goal", "fall", "collision", "timeout"],
};

export default shown;
