// Overlays of a real-time game: countdown, pause, the end.
import type { ReactNode } from "react";
import { Button, icons } from "../../parts/ui";
import type { Match } from "./useMatch";

export function Countdown({ match: { phase, countdown } }: { match: Match }) {
  if (phase !== "countdown") return null;
  return (
    <div className="play-count numbers" role="status" key={countdown}>
      {countdown > 0 ? countdown : "Go"}
    </div>
  );
}

export function Paused({ match }: { match: Match }) {
  if (match.phase !== "paused") return null;
  return (
    <div className="play-sheet">
      <p className="state-title">Paused</p>
      <Button kind="primary" icon={icons.play} onClick={() => match.pause(false)}>
        Go on
      </Button>
    </div>
  );
}

type EndProps = { title: ReactNode; again: string; save: string; onBegin: () => void; saving: { saved: boolean; save: () => void } };

export function EndSheet({ title, again, save, onBegin, saving }: EndProps) {
  return (
    <div className="play-sheet play-end">
      <p className="state-title">{title}</p>
      <div className="row">
        <Button kind="primary" icon={icons.again} onClick={onBegin}>
          {again}
        </Button>
        <Button icon={icons.download} disabled={saving.saved} onClick={saving.save}>
          {saving.saved ? "Saved" : save}
        </Button>
      </div>
    </div>
  );
}
