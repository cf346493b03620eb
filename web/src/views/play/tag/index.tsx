// Play tag in this page, against a scripted player or any checkpoint. No server takes part in a match.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import "./play.css";
import { useResource } from "../../../api/useResource";
import { loadEngine, type GameSpec } from "../../../engine/engine";
import type { PlaySession, SessionOptions } from "../../../engine/session";
import { number } from "../../../parts/player/source";
import type { CameraMode } from "../../../parts/tag/cameras";
import { agentNames } from "../../../parts/tag/names";
import { Won } from "../../../parts/tag/Won";
import type { Moment } from "../../../parts/tag/scene";
import { TagCanvas } from "../../../parts/tag/TagCanvas";
import { Badge, Button, Details, ErrorNote, icons, Loading, Panel, Select } from "../../../parts/ui";
import { useSaving } from "../useSaving";
import { Attract } from "./Attract";
import type { Hands } from "./hands";
import { Live, stateOf } from "./live";
import { scriptedOpponents, trainedOpponents, type Opponent } from "./opponents";
import { actionOf, firstPerson } from "./steering";
import { TouchPad } from "./TouchPad";
import { useHands } from "./useHands";
import { humanWon, useMatch, type Match } from "./useMatch";

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

/** Where one sits down to play: whom to be, whom to meet, and the arena. */
function Table({ spec }: { spec: GameSpec }) {
  const [choices, setChoices] = useState<Choices>({ role: "hider", opponent: "bot:chase:1", view: "chase", mode: "timed", seed: "" });
  const other = spec.roles.find((role) => role !== choices.role) ?? choices.role;
  const trained = useResource(`policies ${other}`, (signal) => trainedOpponents(GAME, other, signal));
  const opponents = useMemo(() => [...scriptedOpponents(spec, other), ...(trained.data ?? [])], [spec, other, trained.data]);
  const opponent = opponents.find((each) => each.value === choices.opponent) ?? opponents[0];
  const match = useMatch();
  const change = (next: Partial<Choices>) => {
    setChoices({ ...choices, ...next });
    if (next.role || next.opponent) match.forget();
  };
  const { start } = match;
  const begin = useCallback(() => {
    if (opponent) start(() => optionsOf(choices, opponent));
  }, [opponent, start, choices]);
  return (
    <div className="play-tag">
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

async function optionsOf({ role, mode, seed }: Choices, opponent: Opponent): Promise<SessionOptions> {
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

type ArenaProps = { match: Match; view: View; onBegin: () => void };

function Arena({ match, view, onBegin }: ArenaProps) {
  const { session, phase } = match;
  const hands = useHands(phase === "playing" || phase === "countdown");
  const yaw = useRef(0);
  const momentNow = useLive(match, hands, yaw, view === "eyes");
  useMatchKeys(match, onBegin);
  const arena = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was clicked lets go of the keyboard: Space is for jumping now. On a phone it lies below the arena.
    if (phase !== "countdown") return;
    arena.current?.focus({ preventScroll: true });
    arena.current?.scrollIntoView({ block: "nearest" });
  }, [phase, session]);
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
    <div className="play-arena tag-view" ref={arena} tabIndex={-1}>
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
      <TouchPad hands={hands} />
    </div>
  );
}

/** What lies over the picture: clock, countdown, pause, the end. */
function Over({ match, session, onBegin }: { match: Match; session: PlaySession; onBegin: () => void }) {
  const { phase, countdown } = match;
  const timeLeft = useTimeLeft(session, phase);
  const human = session.humans[0] ?? 0;
  const saving = useSaving(session, () => session.save());
  return (
    <>
      <div className="tag-clock numbers" role="timer" aria-label="Time left">
        {timeLeft.toFixed(1)} s
      </div>
      <div className="play-role">
        <Badge tone={session.roleOf(human) === "seeker" ? "seeker" : "hider"}>{session.roleOf(human) === "seeker" ? "you seek" : "you hide"}</Badge>
      </div>
      {phase === "countdown" && (
        <div className="play-count numbers" role="status" key={countdown}>
          {countdown > 0 ? countdown : "Go"}
        </div>
      )}
      {phase === "paused" && (
        <div className="play-sheet">
          <p className="state-title">Paused</p>
          <Button kind="primary" icon={icons.play} onClick={() => match.pause(false)}>
            Go on
          </Button>
        </div>
      )}
      {phase === "over" && (
        <>
          <Won winner={session.roleOf(human) === "seeker" === humanWon(session) ? 1 : 2} seconds={session.frame.tick / Number(session.config.tick_rate ?? 60)} />
          <div className="play-sheet play-end">
            <p className="state-title">{humanWon(session) ? "You win" : "You lose"}</p>
            <div className="row">
              <Button kind="primary" icon={icons.again} onClick={onBegin}>
                Rematch
              </Button>
              <Button icon={icons.download} disabled={saving.saved} onClick={saving.save}>
                {saving.saved ? "Saved" : "Save the match"}
              </Button>
            </div>
          </div>
        </>
      )}
    </>
  );
}

function useTimeLeft(session: PlaySession, phase: string): number {
  const [, look] = useState(0);
  useEffect(() => {
    if (phase !== "playing") return;
    const timer = setInterval(() => look((old) => old + 1), 100);
    return () => clearInterval(timer);
  }, [phase]);
  return number(session.frame.render, "time_left");
}

/** Enter starts again, Escape pauses; so does a page that nobody looks at. */
function useMatchKeys(match: Match, onBegin: () => void): void {
  const { phase, pause } = match;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const busy = event.target instanceof HTMLElement && event.target.closest("button, input, select, summary, a, dialog");
      if (event.key === "Enter" && !busy && (phase === "over" || phase === "idle")) onBegin();
      else if (event.key === "Escape" || event.key === "p") pause(phase === "playing");
      else return;
      event.preventDefault();
    };
    const onHide = () => document.hidden && pause(true);
    addEventListener("keydown", onKey);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      removeEventListener("keydown", onKey);
      document.removeEventListener("visibilitychange", onHide);
    };
  }, [phase, pause, onBegin]);
}

/** Runs the match on the picture's own frames, and gives the moment to draw. */
function useLive(match: Match, hands: Hands, yaw: { readonly current: number }, inside: boolean): () => Moment | null {
  const latest = useRef({ match, inside });
  useLayoutEffect(() => {
    latest.current = { match, inside }; // with the page itself: a tap right after "Go" must not meet the countdown
  });
  const before = useRef(performance.now());
  const live = useRef<Live | null>(null);
  return useCallback(() => {
    const now = performance.now();
    const seconds = (now - before.current) / 1000;
    before.current = now;
    const { session, phase, advance } = latest.current.match;
    if (!session) return null;
    const steerNow = () => steer(session, hands, yaw.current, latest.current.inside);
    if (live.current?.session !== session) {
      live.current?.stop();
      live.current = new Live(session);
      session.subscribe(() => {
        hands.decided(jumped(session));
        steerNow(); // a slow picture plays several decisions: a tap is one of them
      });
    }
    hands.look((navigator.getGamepads?.() ?? []).filter((pad) => pad?.connected) as Gamepad[]);
    if (phase !== "playing") hands.forgetTaps();
    steerNow();
    advance(seconds);
    return live.current.moment();
  }, [hands, yaw]);
}

function jumped(session: PlaySession): boolean {
  return session.frame.events.some(({ name, values }) => name === "jump" && values.agent === session.humans[0]);
}

function steer(session: PlaySession, hands: Hands, yaw: number, inside: boolean): void {
  const human = session.humans[0];
  if (human === undefined || session.over) return;
  const facing = stateOf(session.frame).agents[human]?.facing ?? 0;
  const steering = hands.steering();
  const action = actionOf(inside ? firstPerson(steering) : steering, inside ? facing : yaw, facing);
  session.hold(session.spec.actions.map(({ name }) => action[name] ?? 0), human);
}
