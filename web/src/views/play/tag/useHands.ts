import { useEffect, useState } from "react";
import { wantsKey } from "../../../parts/player/keys";
import { Hands } from "./hands";
import { steers } from "./steering";

/** Follows the keyboard while a match runs; the touch stick and gamepads report to it themselves. */
export function useHands(active: boolean): Hands {
  const [hands] = useState(() => new Hands());
  useEffect(() => {
    if (!active) return;
    const down = (event: KeyboardEvent) => {
      if (!steers(event.code) || event.ctrlKey || event.metaKey || event.altKey || wantsKey(event.target, event.key)) return;
      hands.press(event.code);
      event.preventDefault(); // the page does not scroll away under the match
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
