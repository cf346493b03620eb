// A demo match of two bots behind the start button.
import type { SessionOptions } from "../../../engine/session";
import { reader } from "../../../parts/tag/state";
import { TagCanvas } from "../../../parts/tag/TagCanvas";
import { useAttract } from "../useAttract";

const OPTIONS: SessionOptions = {
  game: "tag",
  players: { seeker: { kind: "bot", name: "chase", level: 2 }, hider: { kind: "bot", name: "evade", level: 3 } },
};

export function Attract() {
  const { momentNow } = useAttract(OPTIONS, reader);
  return (
    <TagCanvas momentNow={momentNow} names={[]} camera="both" extras={{ sight: true, trails: true }} viewSpread={(120 * Math.PI) / 180} description="Two scripted players play tag" />
  );
}
