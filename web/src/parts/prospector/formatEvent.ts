// What the replay player's list of events says about this game.
import type { EventFormatter } from "../player/useEventFormatter";
import { readEvents, tell } from "./events";
import { asProspector } from "./spec";

const teller: EventFormatter = (replayEvent, spec) => {
  const [event] = readEvents([replayEvent]);
  return event ? tell(event, asProspector(spec)) : replayEvent.name;
};

export default teller;
