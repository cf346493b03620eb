// What the replay player's list of events says about a walk.
import type { EventFormatter } from "../player/useEventFormatter";
import { plainName } from "../player/words";

const formatEvent: EventFormatter = ({ name, values }) => {
  const value = (key: string) => values[key] ?? 0;
  switch (name) {
    case "start":
      return `starts ${value("distance").toFixed(1)} m from the goal`;
    case "collision":
      return `bumps into a wall, for the ${ordinal(value("count"))} time`;
    case "vignette":
      return `the vignette shows, at ${value("acceleration").toFixed(0)} m/s²`;
    case "fall":
      return "steps into a pit";
    case "goal":
      return "reaches the goal";
    case "timeout":
      return "time ran out";
    default:
      return plainName(name);
  }
};

function ordinal(count: number): string {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[count] ?? "th"; // the rules end an episode long before 21
  return `${count}${ending}`;
}

export default formatEvent;
