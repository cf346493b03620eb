// Plays a real-time game for one player: by hand, or by a scripted or trained player that a person can take over from.
import { useCallback, useMemo, useState } from "react";
import "../play.css";
import { useResource } from "../../../api/useResource";
import { loadEngine, type GameSpec } from "../../../engine/engine";
import type { SessionOptions } from "../../../engine/session";
import { Button, Details, ErrorNote, icons, Loading, Panel, Select, type Option } from "../../../parts/ui";
import { scriptedPlayers, trainedPlayers, type Player } from "../players";
import { useMatch, type Match } from "../useMatch";
import { Arena } from "./Arena";
import type { SoloGame } from "./game";
import { Settings, type Chosen } from "./Settings";

const YOU: Player = { value: "you", label: "You", setUp: async () => ({}) };

export function SoloPlay<S, C extends string>({ game }: { game: SoloGame<S, C> }) {
  const engine = useResource("engine", loadEngine);
  if (engine.error !== undefined) return <ErrorNote title="No game here." error={engine.error} onRetry={engine.reload} />;
  if (!engine.data) return <Loading what="the engine" />;
  return <Cockpit game={game} spec={engine.data.describe(game.name)} />;
}

function Cockpit<S, C extends string>({ game, spec }: { game: SoloGame<S, C>; spec: GameSpec }) {
  const [who, setWho] = useState(YOU.value);
  const [camera, setCamera] = useState<C>(game.cameras[0]!.value);
  const [chosen, setChosen] = useState<Chosen>({ config: {}, seed: "" });
  const role = spec.roles[0] ?? "";
  const trained = useResource(`policies ${game.name} ${role}`, (signal) => trainedPlayers(game.name, role, signal));
  const players = useMemo(() => [YOU, ...scriptedPlayers(spec, role), ...(trained.data ?? [])], [spec, role, trained.data]);
  const player = players.find((each) => each.value === who) ?? YOU;
  const match = useMatch(succeeded);
  const { start } = match;
  const begin = useCallback(() => start(() => optionsOf(game.name, role, player, chosen)), [start, game, role, player, chosen]);
  return (
    <div className="play-page">
      <Panel flush>
        <Arena game={game} match={match} role={role} camera={camera} onBegin={begin} />
      </Panel>
      <Panel title="Your turn">
        <div className="stack">
          <Select label="Who plays" value={player.value} options={players as readonly Option[]} onChange={setWho} />
          {trained.error !== undefined && <p className="small faint">Trained players need the server, which does not answer; scripted ones play here.</p>}
          <Select label="Camera" value={camera} options={game.cameras} onChange={setCamera} />
          <div className="row">
            <Button kind="primary" icon={match.phase === "idle" ? icons.play : icons.again} disabled={match.phase === "loading"} onClick={begin}>
              {match.phase === "idle" || match.phase === "loading" ? "Start" : "Restart"}
            </Button>
            <TakeOver match={match} role={role} />
          </div>
          <ScoreLine match={match} />
          {match.error !== null && <ErrorNote error={match.error} />}
          <p className="small soft">
            {game.legend} <kbd>Esc</kbd> pauses, <kbd>Enter</kbd> starts again.
          </p>
          <Details summary="Advanced">
            <Settings spec={spec} chosen={chosen} onChange={setChosen} />
          </Details>
        </div>
      </Panel>
    </div>
  );
}

function succeeded(session: { episode: Readonly<Record<string, unknown>> }): boolean {
  return Number(session.episode.success) === 1;
}

async function optionsOf(game: string, role: string, player: Player, { config, seed }: Chosen): Promise<SessionOptions> {
  const { players, config: trainedWith } = await player.setUp();
  const human = player === YOU ? { human: role, humanName: "you" } : { human: null };
  return { game, ...human, ...(players ? { players } : {}), config: { ...trainedWith, ...config }, ...(seed ? { seed } : {}) };
}

function TakeOver({ match: { session, phase }, role }: { match: Match; role: string }) {
  const [, rerender] = useState(0);
  if (!session || session.humans.length || (phase !== "playing" && phase !== "paused" && phase !== "countdown")) return null;
  const takeOver = () => {
    session.takeOver(role, "you");
    rerender((old) => old + 1);
  };
  return <Button onClick={takeOver}>Take over</Button>;
}

function ScoreLine({ match: { score } }: { match: Match }) {
  const played = score.won + score.lost;
  if (!played) return null;
  return (
    <p className="play-score" aria-live="polite">
      You made it <strong className="numbers">{score.won}</strong> of <strong className="numbers">{played}</strong> times
    </p>
  );
}
