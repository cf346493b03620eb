import { useCallback, useEffect, useRef, type RefObject } from "react";
import { wantsKey } from "../../../parts/player/keys";
import { REST, steers, together, wishOfKeys, wishOfPad, type Wish } from "./steering";

export type Controls = {
  read: () => Wish; // what all hands want now
  touch: RefObject<Wish>; // the stick on the screen writes here
};

/** Keyboard, gamepad and touch, read when the game wants to know. */
export function useControls(active: boolean): Controls {
  const held = useRef(new Set<string>());
  const touch = useRef<Wish>(REST);
  useEffect(() => {
    if (!active) return;
    const keys = held.current;
    const down = (event: KeyboardEvent) => {
      if (!steers(event.code) || event.ctrlKey || event.metaKey || event.altKey || wantsKey(event.target, event.key)) return;
      keys.add(event.code);
      event.preventDefault(); // the page does not scroll away under the match
    };
    const up = (event: KeyboardEvent) => keys.delete(event.code);
    const forget = () => keys.clear(); // keys that are let go elsewhere are never told
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", forget);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
      removeEventListener("blur", forget);
      forget();
    };
  }, [active]);
  const read = useCallback(() => {
    const pads = navigator.getGamepads?.() ?? [];
    return together([wishOfKeys(held.current), touch.current, ...pads.flatMap((pad) => (pad?.connected ? [wishOfPad(pad)] : []))]);
  }, []);
  return { read, touch };
}
