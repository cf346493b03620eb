// Links from Watch to Play.
import { Link } from "react-router";
import { GAMES, playAddress } from "../play/games";

/** A link to the watched game, if it can be played here. */
export function PlayLink({ game }: { game: string }) {
  const address = playAddress(game);
  return address && <Link to={address}>Play {GAMES[game]?.name} yourself</Link>;
}

/** Links to all games that can be played here. */
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
