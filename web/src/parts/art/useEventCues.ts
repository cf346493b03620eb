import { useEffect } from "react";
import { playCue } from "./sound";
import { eventSigns } from "./table";

/** Plays what happens in the step that is shown, while a replay or match runs; stepping by hand stays silent. */
export function useEventCues(game: string, step: number, events: readonly { name: string }[], playing: boolean): void {
  useEffect(() => {
    if (playing) for (const event of events) playCue(eventSigns(game, event.name).sound);
  }, [game, step]);
}
