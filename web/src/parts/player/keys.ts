import { useEffect } from "react";
import { CLOCK_SPEEDS, FRAME_SPEEDS, type Playback } from "./playback";

const LEAP = 10; // steps with Shift

/** The player's keys, anywhere on the page except where somebody types or a control needs the key itself. */
export function usePlayerKeys(playback: Playback): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || wantsKey(event.target, event.key)) return;
      if (act(playback, event)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [playback]);
}

function act(playback: Playback, event: KeyboardEvent): boolean {
  const leap = event.shiftKey ? LEAP : 1;
  switch (event.key) {
    case " ":
      playback.toggle();
      return true;
    case "ArrowLeft":
      playback.nudge(-leap);
      return true;
    case "ArrowRight":
      playback.nudge(leap);
      return true;
    case "Home":
      playback.seek(0);
      return true;
    case "End":
      playback.seek(playback.length);
      return true;
    case "l":
      playback.change({ loop: !playback.loop });
      return true;
    case "[":
      changeSpeed(playback, -1);
      return true;
    case "]":
      changeSpeed(playback, 1);
      return true;
    default:
      return false;
  }
}

export function changeSpeed(playback: Playback, by: number): void {
  if (playback.pace.kind === "frames") {
    playback.change({ speed: Math.min(FRAME_SPEEDS.high, Math.max(FRAME_SPEEDS.low, playback.speed + by)) });
    return;
  }
  const at = CLOCK_SPEEDS.findIndex((speed) => speed >= playback.speed);
  playback.change({ speed: CLOCK_SPEEDS[Math.min(CLOCK_SPEEDS.length - 1, Math.max(0, at + by))] ?? 1 });
}

/** Text fields want every key, lists and sliders their arrows, buttons their Space. */
export function wantsKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest("dialog[open]")) return true;
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return key !== " ";
    return !["button", "checkbox", "radio"].includes(target.type) || key === " " || key.startsWith("Arrow");
  }
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  return key === " " && target.closest("button, summary, a, [role=tab]") !== null;
}
