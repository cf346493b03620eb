// From watching to playing.
import { Link } from "react-router";
import { GAMES, playAddress } from "../play/games";

/** To the game that is watched, where it can be played here. */
export function PlayLink({ game }: { game: string }) {
  const address = playAddress(game);
  return address && <Link to={address}>Play {GAMES[game]?.name} yourself</Link>;
}

/** To every game that can be played here. */
export function PlayLinks() {
  return (
    <p className="row">
      Play meanwhile:
      {Object.entries(GAMES).map(([game, { name }]) => (
        <Link key={game} to={playAddress(game) ?? ""}>
          {name}
        </Link>
      ))}
    </p>
  );
}
