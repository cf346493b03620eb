// To play: against a trained player where there are two sides, by hand where there is one.
import { Link } from "react-router";
import { GAMES, playAddress } from "../play/games";

export function PlayAgainst({ game, primary = false }: { game: string; primary?: boolean }) {
  const address = playAddress(game);
  if (!address) return null;
  const against = GAMES[game]?.against;
  return (
    <Link className={`button button-${primary ? "primary" : "plain"}`} to={against ? `${address}&against=trained` : address}>
      {against ? "Play against it" : "Play it yourself"}
    </Link>
  );
}
