// What the replay player's list of events says about tag.
import type { EventFormatter } from "../player/useEventFormatter";
import { plainName } from "../player/words";
import { agentNames } from "./names";

const teller: EventFormatter = ({ name, values }, _spec, agents) => {
  const names = agentNames(agents);
  const who = (value: number | undefined) => names[value ?? -1] ?? "somebody";
  switch (name) {
    case "tag":
      return `${who(values.attacker)} catches ${who(values.target)}`;
    case "pass":
      return `${who(values.attacker)} passes the role to ${who(values.target)}`;
    case "timeout":
      return "time ran out";
    case "jump":
      return `${who(values.agent)} jumps`;
    case "land":
      return `${who(values.agent)} lands at ${(values.speed ?? 0).toFixed(1)} m/s`;
    case "sight":
      return `${who(values.agent)} sees ${who(values.target)}`;
    default:
      return plainName(name);
  }
};

export default teller;
