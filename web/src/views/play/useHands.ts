import { useEffect, useState } from "react";
import { wantsKey } from "../../parts/player/keys";
import { Hands, type Bindings } from "./hands";

/** Follows the keyboard while an episode runs; the touch stick and gamepads report to it themselves. */
export function useHands(bindings: Bindings, active: boolean): Hands {
  const [hands] = useState(() => new Hands(bindings));
  useEffect(() => {
    if (!active) return;
    const down = (event: KeyboardEvent) => {
      if (!hands.knows(event.code) || event.ctrlKey || event.metaKey || event.altKey || wantsKey(event.target, event.key)) return;
      hands.press(event.code);
      event.preventDefault(); // the page does not scroll away under the game
    };
    const up = (event: KeyboardEvent) => hands.release(event.code);
    const forget = () => hands.forget();
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", forget);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
      removeEventListener("blur", forget);
      forget();
    };
  }, [active, hands]);
  return hands;
}
