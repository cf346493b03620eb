// A match of two bots behind the start button, which shows the game before one plays it.
import { useEffect, useRef, useState } from "react";
import { PlaySession } from "../../../engine/session";
import type { TagMoment } from "../../../parts/tag/scene";
import { reader, type TagState } from "../../../parts/tag/state";
import { TagCanvas } from "../../../parts/tag/TagCanvas";
import { useReducedMotion } from "../../../style/theme";
import { Live } from "../live";

const PLAYERS = { seeker: { kind: "bot", name: "chase", level: 2 }, hider: { kind: "bot", name: "evade", level: 3 } } as const;
const REST_S = 2.5; // after a match, before the next

export function Attract() {
  const still = useReducedMotion();
  const [session, setSession] = useState<PlaySession | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let left = false;
    let made: PlaySession | null = null;
    PlaySession.start({ game: "tag", human: null, players: PLAYERS, seed: 4 + round }).then(
      (ready) => (left ? ready.close() : setSession((made = ready))),
      () => undefined, // it is only an ornament
    );
    return () => {
      left = true;
      setTimeout(() => made?.close(), 500);
    };
  }, [round]);
  const shown = useRef<{ session: PlaySession; live: Live<TagState>; before: number } | null>(null);
  const momentNow = (): TagMoment | null => {
    if (!session) return null;
    const now = performance.now();
    if (shown.current?.session !== session) {
      shown.current?.live.stop();
      shown.current = { session, live: new Live(session, reader), before: now };
    }
    if (!still) session.advance((now - shown.current.before) / 1000);
    shown.current.before = now;
    const moment = shown.current.live.moment();
    if (moment.sinceEnd > REST_S) setRound((old) => old + 1);
    return moment;
  };
  return (
    <TagCanvas momentNow={momentNow} names={[]} camera="both" extras={{ sight: true, trails: true }} viewSpread={(120 * Math.PI) / 180} description="Two scripted players play tag" />
  );
}
