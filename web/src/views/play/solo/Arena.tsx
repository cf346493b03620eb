// The view of a game for one player, with its overlays.
import { useCallback, useMemo, useRef } from "react";
import type { SessionOptions } from "../../../engine/session";
import { Badge, Button, icons, Loading } from "../../../parts/ui";
import type { Axes } from "../hands";
import { Countdown, EndSheet, Paused } from "../Overlays";
import { TouchPad } from "../TouchPad";
import { useAttract } from "../useAttract";
import { useFocusOnStart } from "../useFocusOnStart";
import { useHands } from "../useHands";
import { useLive } from "../useLive";
import type { Match } from "../useMatch";
import { useMatchKeys } from "../useMatchKeys";
import { useSaving } from "../useSaving";
import { useTicking } from "../useTicking";
import type { SoloGame } from "./game";

type Props<S, C extends string> = { game: SoloGame<S, C>; match: Match; role: string; camera: C; onBegin: () => void };

export function Arena<S, C extends string>(props: Props<S, C>) {
  useMatchKeys(props.match, props.onBegin);
  return props.match.session ? <Playing {...props} /> : <Waiting {...props} />;
}

function Waiting<S, C extends string>({ game, match, camera, onBegin }: Props<S, C>) {
  const options = useMemo((): SessionOptions => ({ game: game.name }), [game]);
  const { session, momentNow } = useAttract(options, game.reader);
  return (
    <div className="play-arena scene-view">
      {session ? <game.View momentNow={momentNow} state={game.reader.read(session.frame)} session={session} camera={camera} onDrawn={NOTHING} /> : <Loading what="the game" />}
      <div className="play-sheet">
        {match.phase === "loading" ? (
          <Loading what="the player" />
        ) : (
          <>
            <p className="state-title">{game.invitation.title}</p>
            <p className="soft">{game.invitation.text}</p>
            <Button kind="primary" icon={icons.play} onClick={onBegin}>
              Start
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

const NOTHING = () => undefined;

function Playing<S, C extends string>({ game, match, role, camera, onBegin }: Props<S, C>) {
  const { phase } = match;
  const session = match.session!;
  const hands = useHands(game.bindings, phase === "playing" || phase === "countdown");
  const yaw = useRef(0);
  const action = useCallback((axes: Axes) => game.action(axes, yaw.current), [game]);
  const momentNow = useLive(match, hands, { reader: game.reader, action });
  const arena = useFocusOnStart(match);
  useTicking(phase === "playing");
  const onDrawn = useCallback((seen: number) => void (yaw.current = seen), []);
  const saving = useSaving(session, () => session.save());
  const state = game.reader.read(session.frame);
  const byHand = session.humans.length > 0;
  return (
    <div className="play-arena scene-view" ref={arena} tabIndex={-1}>
      <game.View momentNow={momentNow} state={state} session={session} camera={camera} onDrawn={onDrawn} />
      <div className="play-player">
        <Badge tone={byHand ? "good" : "plain"}>{byHand ? "you play" : (session.names[role] ?? role)}</Badge>
      </div>
      <Countdown match={match} />
      <Paused match={match} />
      {phase === "over" && <EndSheet title={titleOf(byHand, game.good(state))} again="Again" save="Save the replay" onBegin={onBegin} saving={saving} />}
      {byHand && <TouchPad hands={hands} touch={game.touch} />}
    </div>
  );
}

function titleOf(byHand: boolean, good: boolean): string {
  if (!byHand) return good ? "That is how it is done" : "That did not work out";
  return good ? "You made it" : "Not this time";
}
