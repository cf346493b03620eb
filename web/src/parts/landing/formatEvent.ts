// What the replay player's list of events says about a descent.
import type { EventFormatter } from "../player/useEventFormatter";
import { plainName } from "../player/words";
import { metres } from "./words";

const formatEvent: EventFormatter = ({ name, values }) => {
  const value = (key: string) => values[key] ?? 0;
  switch (name) {
    case "start":
      return `starts ${metres(value("altitude"))} m up, ${metres(value("distance"))} m from the pad`;
    case "low_fuel":
      return `${value("fuel").toFixed(0)} kg of fuel left`;
    case "empty":
      return "the fuel is used up";
    case "touchdown":
      return `touches down at ${value("speed").toFixed(1)} m/s, ${metres(value("distance"))} m from the pad's centre`;
    case "crash":
      return `hits the ground at ${value("speed").toFixed(1)} m/s, leaning ${value("tilt").toFixed(0)}°`;
    case "out_of_bounds":
      return "leaves the bounds";
    case "timeout":
      return "time ran out";
    default:
      return plainName(name);
  }
};

export default formatEvent;
