// Play: one page per game. /play?game=tag
import { useSearchParams } from "react-router";
import { Empty, Select } from "../../parts/ui";
import { GAMES } from "./games";

export default function Play() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("game") ?? Object.keys(GAMES)[0] ?? "";
  const choices = Object.entries(GAMES).map(([value, { name }]) => ({ value, label: name }));
  const View = Object.hasOwn(GAMES, asked) ? GAMES[asked]?.view : null;
  return (
    <>
      <div className="page-head">
        <h1>Play</h1>
        <Select label="Game" hideLabel value={asked} options={choices} onChange={(game) => setParameters({ game })} />
      </div>
      {View ? (
        <View key={asked} />
      ) : (
        <Empty title={`There is no game called ${asked} to play here`} hint="Choose one above." />
      )}
    </>
  );
}
