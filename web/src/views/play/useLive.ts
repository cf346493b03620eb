// Runs a session on animation frames and returns the moment to draw.
import { useCallback, useLayoutEffect, useRef } from "react";
import type { PlaySession } from "../../engine/session";
import type { Moment } from "../../parts/three/scene";
import type { Reader } from "../../parts/three/useMoment";
import type { Axes, Hands } from "./hands";
import { Live } from "./live";
import type { Match } from "./useMatch";

export type Steering<S> = {
  reader: Reader<S>;
  /** The action by name, from the current input. */
  action: (axes: Axes, state: S) => Readonly<Record<string, number>>;
  /** Whether the last step had the effect of a pending tap. */
  fulfilled?: (session: PlaySession) => boolean;
};

export function useLive<S>(match: Match, hands: Hands, steering: Steering<S>): () => Moment<S> | null {
  const latest = useRef({ match, steering });
  useLayoutEffect(() => {
    latest.current = { match, steering }; // with the page itself: a tap right after "Go" must not meet the countdown
  });
  const before = useRef(performance.now());
  const live = useRef<Live<S> | null>(null);
  return useCallback(() => {
    const now = performance.now();
    const seconds = (now - before.current) / 1000;
    before.current = now;
    const { session, phase, advance } = latest.current.match;
    if (!session) return null;
    if (live.current?.session !== session) {
      live.current?.stop();
      const made = (live.current = new Live(session, latest.current.steering.reader));
      session.subscribe(() => {
        hands.decided(latest.current.steering.fulfilled?.(session) ?? false);
        steer(made, hands, latest.current.steering); // a slow picture plays several decisions: a tap is one of them
      });
    }
    hands.readGamepads((navigator.getGamepads?.() ?? []).filter((pad) => pad?.connected) as Gamepad[]);
    if (phase !== "playing") hands.forgetTaps();
    steer(live.current, hands, latest.current.steering);
    advance(seconds);
    return live.current.moment();
  }, [hands]);
}

function steer<S>({ session, now }: Live<S>, hands: Hands, { action }: Steering<S>): void {
  const human = session.humans[0];
  if (human === undefined || session.over) return;
  const wanted = action(hands.axes(), now);
  session.hold(session.spec.actions.map(({ name }) => wanted[name] ?? 0), human);
}
