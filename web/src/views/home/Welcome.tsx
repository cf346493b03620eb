// What this is, in one sentence, and what to do next.
import { Link } from "react-router";
import "./home.css";
import { getLearning, learnAddress, type Training } from "../../api/learning";
import { useResource } from "../../api/useResource";
import { PlayAgainst } from "./PlayAgainst";

/** game: of the newest run; training: that run's. */
export function Welcome({ game, training }: { game: string; training: Training }) {
  const learning = useResource(learnAddress(training), (signal) => getLearning(training, signal));
  // A run that has just begun has nothing to compare: what ships with Sandlot is shown then, where that is.
  const ready = training.kind === "pretrained" || learning.data === undefined || learning.data.count > 1;
  return (
    <div className="welcome">
      <div>
        <p className="welcome-what">Here, computer players teach themselves games.</p>
        <p className="soft">They start knowing nothing and get better by playing, on this computer. Watch them learn, then play against them.</p>
      </div>
      <div className="row welcome-do">
        <Link className="button button-primary" to={ready ? learnAddress(training) : "/learn?trained=" + encodeURIComponent(game)}>
          Watch it learn
        </Link>
        <PlayAgainst game={game} />
      </div>
    </div>
  );
}
