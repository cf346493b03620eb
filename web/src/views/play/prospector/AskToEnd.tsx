// Confirms ending the game: by cashing out if the rules allow it, else by leaving.
import { actionId } from "../../../parts/prospector/spec";
import { credits } from "../../../parts/prospector/words";
import { Button, Dialog } from "../../../parts/ui";
import type { Game } from "./game";

type Props = { open: boolean; game: Game; onClose: () => void; onLeave: () => void };

export function AskToEnd({ open, game, onClose, onLeave }: Props) {
  const cashOut = actionId(game.spec, "CASH_OUT_END_EPISODE");
  const against = game.reasonAgainst(cashOut);
  const { belt } = game.view;
  const finish = () => {
    onClose();
    if (against === null) void game.act(cashOut);
    else onLeave();
  };
  return (
    <Dialog
      open={open}
      title={against === null ? "Cash out and end the game?" : "Give up this game?"}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Go on playing</Button>
          <Button kind="danger" onClick={finish}>
            {against === null ? "Cash out" : "Give up"}
          </Button>
        </>
      }
    >
      <p>
        {against === null
          ? `You would end with ${credits(belt.credits)}.`
          : `Cashing out is not possible now. ${against} Giving up leaves this belt without a score and opens another.`}
        {belt.cargoValue >= 1 && ` Unsold cargo of ${credits(belt.cargoValue)} is worth nothing then.`}
      </p>
    </Dialog>
  );
}
