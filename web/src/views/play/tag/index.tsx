// Play tag in this page, against a scripted player or any checkpoint. No server takes part in a match.
import { useCallback, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import "../play.css";
import { useResource } from "../../../api/useResource";
import { loadEngine, type GameSpec } from "../../../engine/engine";
import type { PlaySession, SessionOptions } from "../../../engine/session";
import { number } from "../../../parts/player/source";
import type { CameraMode } from "../../../parts/tag/cameras";
import { agentNames } from "../../../parts/tag/names";
import { Won } from "../../../parts/tag/Won";
import type { TagMoment } from "../../../parts/tag/scene";
import { reader, Seen, type TagState } from "../../../parts/tag/state";
import { TagCanvas } from "../../../parts/tag/TagCanvas";
import { Badge, Button, Details, ErrorNote, icons, Loading, Panel, Select } from "../../../parts/ui";
import type { Axes, Hands } from "../hands";
import { Countdown, EndSheet, Paused } from "../Overlays";
import { OPPONENT_LEVELS, scriptedPlayers, trainedPlayers, type Player } from "../players";
import { TouchPad } from "../TouchPad";
import { useFocusOnStart } from "../useFocusOnStart";
import { useHands } from "../useHands";
import { useLive } from "../useLive";
import { useMatch, type Match } from "../useMatch";
import { useMatchKeys } from "../useMatchKeys";
import { useSaving } from "../useSaving";
import { useTicking } from "../useTicking";
import { Attract } from "./Attract";
import { actionOf, bindings, firstPerson, steeringOf, TOUCH_JUMP } from "./steering";

const GAME = "tag";
type View = "chase" | "eyes" | "both" | "top";
const VIEWS: readonly { value: View; label: string }[] = [
  { value: "chase", label: "Behind you" },
  { value: "eyes", label: "Through your eyes" },
  { value: "both", label: "Near them all" },
  { value: "top", label: "From above" },
];

export default function PlayTag() {
  const engine = useResource("engine", loadEngine);
  if (engine.error !== undefined) return <ErrorNote title="No game here." error={engine.error} onRetry={engine.reload} />;
  if (!engine.data) return <Loading what="the engine" />;
  return <Table spec={engine.data.describe(GAME)} />;
}

type Choices = { role: string; opponent: string; view: View; mode: string; seed: string };

/** Setup of a match: role, opponent and arena. */
function Table({ spec }: { spec: GameSpec }) {
  const [parameters] = useSearchParams();
  const meetTrained = parameters.get("against") === "trained";
  const [choices, setChoices] = useState<Choices>({ role: "hider", opponent: meetTrained ? "" : "bot:chase:1", view: "chase", mode: "timed", seed: "" });
  const other = spec.roles.find((role) => role !== choices.role) ?? choices.role;
  const trained = useResource(`policies ${other}`, (signal) => trainedPlayers(GAME, other, signal));
  const opponents = useMemo(() => [...scriptedPlayers(spec, other, OPPONENT_LEVELS), ...(trained.data ?? [])], [spec, other, trained.data]);
  const opponent = opponents.find((each) => each.value === choices.opponent) ?? (meetTrained ? trained.data?.[0] : undefined) ?? opponents[0];
  const match = useMatch(humanWon);
  const change = (next: Partial<Choices>) => {
    setChoices({ ...choices, ...next });
    if (next.role || next.opponent) match.forget();
  };
  const { start } = match;
  const begin = useCallback(() => {
    if (opponent) start(() => optionsOf(choices, opponent));
  }, [opponent, start, choices]);
  return (
    <div className="play-page">
      <Panel flush>
        <Arena match={match} view={choices.view} onBegin={begin} />
      </Panel>
      <Panel title="Your match">
        <div className="stack">
          <div className="row" role="group" aria-label="You play">
            {spec.roles.map((role) => (
              <Button key={role} pressed={role === choices.role} onClick={() => change({ role, opponent: "" })}>
                {role === "hider" ? "Hide" : "Seek"}
              </Button>
            ))}
          </div>
          <Select label={`The ${other}`} value={opponent?.value ?? ""} options={opponents} onChange={(next) => change({ opponent: next })} />
          {trained.error !== undefined && <p className="small faint">Trained players need the server, which does not answer; scripted ones play here.</p>}
          <Select label="Camera" value={choices.view} options={VIEWS} onChange={(view) => change({ view })} />
          <Button kind="primary" icon={match.phase === "idle" ? icons.play : icons.again} disabled={match.phase === "loading"} onClick={begin}>
            {match.phase === "idle" || match.phase === "loading" ? "Start" : "New match"}
          </Button>
          <ScoreLine match={match} />
          {match.error !== null && <ErrorNote error={match.error} />}
          <Legend />
          <Details summary="Advanced">
            <div className="stack">
              <Select label="Rules" value={choices.mode} options={choicesOf(spec, "mode")} onChange={(mode) => change({ mode })} />
              <label className="field">
                <span className="field-label">Seed, empty for a new one each match</span>
                <input value={choices.seed} inputMode="numeric" onChange={(event) => change({ seed: event.target.value.replace(/\D/g, "").slice(0, 19) })} />
              </label>
            </div>
          </Details>
        </div>
      </Panel>
    </div>
  );
}

function choicesOf(spec: GameSpec, name: string): { value: string; label: string }[] {
  const words: Readonly<Record<string, string>> = { timed: "timed: a touch ends it", switch: "switch: a touch passes the role on" };
  return (spec.knobs.find((knob) => knob.name === name)?.choices ?? []).map((choice) => ({ value: choice, label: words[choice] ?? choice }));
}

async function optionsOf({ role, mode, seed }: Choices, opponent: Player): Promise<SessionOptions> {
  const { players, config } = await opponent.setUp();
  return { game: GAME, human: role, humanName: "you", players, config: { ...config, mode }, ...(seed ? { seed } : {}) };
}

function ScoreLine({ match }: { match: Match }) {
  const { won, lost } = match.score;
  return (
    <p className="play-score" aria-live="polite">
      You <strong className="numbers">{won}</strong> : <strong className="numbers">{lost}</strong> {match.session ? opponentName(match.session) : "they"}
    </p>
  );
}

function opponentName(session: PlaySession): string {
  return Object.values(session.names).find((name) => name !== "you") ?? "they";
}

function Legend() {
  return (
    <p className="small soft">
      <kbd>W</kbd> <kbd>A</kbd> <kbd>S</kbd> <kbd>D</kbd> or arrows move, <kbd>Space</kbd> jumps, <kbd>Esc</kbd> pauses, <kbd>Enter</kbd> starts again. A gamepad works too; on a phone, the stick and
      the button.
    </p>
  );
}

// ---------------------------------------------------------------- the arena

const TOUCH = { left: { x: "right", y: "forward" }, right: { code: TOUCH_JUMP, label: "Jump" } };

type ArenaProps = { match: Match; view: View; onBegin: () => void };

function Arena({ match, view, onBegin }: ArenaProps) {
  const { session, phase } = match;
  const hands = useHands(bindings, phase === "playing" || phase === "countdown");
  const yaw = useRef(0);
  const momentNow = useTagMoment(match, hands, yaw, view === "eyes");
  useMatchKeys(match, onBegin);
  const arena = useFocusOnStart(match);
  const human = session?.humans[0] ?? 0;
  const names = useMemo(() => (session ? agentNames(session.spec.agent_roles).map((name, i) => (i === human ? `you · ${name}` : name)) : []), [session, human]);
  const camera: CameraMode = view === "chase" || view === "eyes" ? `${view}:${human}` : view;
  if (!session)
    return (
      <div className="play-arena">
        <Attract />
        <div className="play-sheet">
          {phase === "loading" ? (
            <Loading what="your opponent" />
          ) : (
            <>
              <p className="state-title">Ten seconds. One of you is it.</p>
              <p className="soft">Both see only what their eyes see.</p>
              <Button kind="primary" icon={icons.play} onClick={onBegin}>
                Start
              </Button>
            </>
          )}
        </div>
      </div>
    );
  const degrees = Number(session.config.field_of_view ?? 120);
  return (
    <div className="play-arena scene-view" ref={arena} tabIndex={-1}>
      <TagCanvas
        momentNow={momentNow}
        names={names}
        camera={camera}
        extras={{ sight: true, trails: true }}
        viewSpread={(degrees * Math.PI) / 180}
        description={`Your match of tag: you play the ${session.roleOf(human)}`}
        onDrawn={(seen) => (yaw.current = seen)}
      />
      <Over match={match} session={session} onBegin={onBegin} />
      <TouchPad hands={hands} touch={TOUCH} />
    </div>
  );
}

/** Overlays: clock, countdown, pause, the end. */
function Over({ match, session, onBegin }: { match: Match; session: PlaySession; onBegin: () => void }) {
  const { phase } = match;
  useTicking(phase === "playing");
  const timeLeft = number(session.frame.render, "time_left");
  const human = session.humans[0] ?? 0;
  const saving = useSaving(session, () => session.save());
  return (
    <>
      <div className="scene-clock numbers" role="timer" aria-label="Time left">
        {timeLeft.toFixed(1)} s
      </div>
      <div className="play-role">
        <Badge tone={session.roleOf(human) === "seeker" ? "seeker" : "hider"}>{session.roleOf(human) === "seeker" ? "you seek" : "you hide"}</Badge>
      </div>
      <Countdown match={match} />
      <Paused match={match} />
      {phase === "over" && (
        <>
          <Won winner={session.roleOf(human) === "seeker" === humanWon(session) ? 1 : 2} seconds={session.frame.tick / Number(session.config.tick_rate ?? 60)} />
          <EndSheet title={humanWon(session) ? "You win" : "You lose"} again="Rematch" save="Save the match" onBegin={onBegin} saving={saving} />
        </>
      )}
    </>
  );
}

function useTagMoment(match: Match, hands: Hands, yaw: { readonly current: number }, inside: boolean): () => TagMoment | null {
  const action = useCallback(
    (axes: Axes, { agents }: TagState) => {
      const facing = agents[match.session?.humans[0] ?? 0]?.facing ?? 0;
      const steering = steeringOf(axes);
      return actionOf(inside ? firstPerson(steering) : steering, inside ? facing : yaw.current, facing);
    },
    [match.session, inside, yaw],
  );
  const momentNow = useLive(match, hands, { reader, action, fulfilled: jumped });
  const { session } = match;
  return useCallback(() => {
    const moment = momentNow();
    return moment && session && { ...moment, unseen: unseen(session, moment.state) };
  }, [momentNow, session]);
}

/** While a person plays, opponents out of sight have no label, light or trail: the person knows no more than the agent. */
function unseen({ humans, over }: PlaySession, state: TagState): ReadonlySet<number> {
  const [human] = humans;
  if (human === undefined || over || state.agents[human]?.rays.some((ray) => ray.seen === Seen.Agent)) return new Set();
  return new Set([...state.agents.keys()].filter((agent) => !humans.includes(agent)));
}

/** In mode `switch`, whoever is not the seeker at the end wins. */
function humanWon(session: PlaySession): boolean {
  const human = session.humans[0] ?? 0;
  const winner = String(session.episode.winner ?? "nobody");
  if (winner === "nobody") return session.roleOf(human) !== "seeker";
  return session.roleOf(human) === winner;
}

function jumped(session: PlaySession): boolean {
  return session.frame.events.some(({ name, values }) => name === "jump" && values.agent === session.humans[0]);
}
