import { Button, icons } from "../ui";
import { useSound } from "./sound";

/** Turns sound on and off; off is the default. */
export function SoundSwitch() {
  const [on, setOn] = useSound();
  return (
    <Button
      kind="quiet"
      icon={on ? icons.sound : icons.silent}
      label={on ? "Sound is on: turn it off" : "Sound is off: turn it on"}
      pressed={on}
      onClick={() => setOn(!on)}
    />
  );
}
