import { Link } from "react-router";
import { learnAddress, type PretrainedGame } from "../../api/learning";
import { capital } from "../../parts/player/words";

/** To watch the training of every game that comes with Sandlot. */
export function LearnLinks({ games }: { games: readonly PretrainedGame[] }) {
  if (games.length === 0) return null;
  return (
    <p className="row">
      Watch it learn:
      {games.map(({ game }) => (
        <Link key={game} to={learnAddress({ kind: "pretrained", game })}>
          {capital(game)}
        </Link>
      ))}
    </p>
  );
}
