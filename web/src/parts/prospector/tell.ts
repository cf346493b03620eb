// What the replay player's list of events says about this game.
import type { Teller } from "../player/useTeller";
import { readEvents, tell } from "./events";
import { asProspector } from "./spec";

const teller: Teller = (happening, spec) => {
  const [event] = readEvents([happening]);
  return event ? tell(event, asProspector(spec)) : happening.name;
};

export default teller;
