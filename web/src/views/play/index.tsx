// Play: one page per game, loaded on demand. /play?game=tag
import { useSearchParams } from "react-router";
import { Empty, later, Select } from "../../parts/ui";

const GAMES = {
  tag: { name: "Tag", view: later(() => import("./tag"), "the game") },
  landing: { name: "Landing", view: later(() => import("./landing"), "the game") },
  navigation: { name: "Navigation", view: later(() => import("./navigation"), "the game") },
  prospector: { name: "Asteroid Belt Prospector", view: later(() => import("./prospector"), "the game") },
};
type Game = keyof typeof GAMES;

export default function Play() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("game") ?? Object.keys(GAMES)[0] ?? "";
  const choices = Object.entries(GAMES).map(([value, { name }]) => ({ value, label: name }));
  const View = Object.hasOwn(GAMES, asked) ? GAMES[asked as Game].view : null;
  return (
    <>
      <div className="page-head">
        <h1>Play</h1>
        <Select label="Game" hideLabel value={asked} options={choices} onChange={(game) => setParameters({ game })} />
      </div>
      {View ? (
        <View />
      ) : (
        <Empty title={`There is no game called ${asked} to play here`} hint="Choose one above." />
      )}
    </>
  );
}
