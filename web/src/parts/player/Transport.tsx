// The bar under the picture: start, step, play, step, end; speed; loop; jump; link to this moment.
import { useState, type FormEvent } from "react";
import { SoundSwitch } from "../art/SoundSwitch";
import { Button, icons, Select, Slider, toast } from "../ui";
import { CLOCK_SPEEDS, FRAME_SPEEDS, STRIDES, type Playback } from "./playback";
import type { Source } from "./source";
import { usePlaybackState } from "./usePlayback";

type Props = { playback: Playback; source: Source; linkTo: (tick: number) => string };

export function Transport({ playback, source, linkTo }: Props) {
  usePlaybackState(playback);
  return (
    <div className="transport" role="group" aria-label="Player">
      <div className="row">
        <Button kind="quiet" icon={icons.start} label="To the start (Home)" onClick={() => playback.seek(0)} />
        <Button kind="quiet" icon={icons.back} label="One step back (←)" onClick={() => playback.nudge(-1)} />
        <Button
          kind="primary"
          icon={playback.playing ? icons.pause : icons.play}
          label={playback.playing ? "Pause (Space)" : "Play (Space)"}
          onClick={() => playback.toggle()}
        />
        <Button kind="quiet" icon={icons.forward} label="One step forward (→)" onClick={() => playback.nudge(1)} />
        <Button kind="quiet" icon={icons.end} label="To the end (End)" onClick={() => playback.seek(playback.length)} />
        <Button kind="quiet" icon={icons.loop} label="Loop (L)" pressed={playback.loop} onClick={() => playback.change({ loop: !playback.loop })} />
        <SoundSwitch />
      </div>
      <Speed playback={playback} />
      <div className="row transport-jump">
        <Jump playback={playback} source={source} />
        <Button kind="quiet" icon={icons.link} label="Copy a link to this moment" onClick={() => void copyLink(linkTo(source.tickOfStep(playback.step)))} />
      </div>
    </div>
  );
}

function Speed({ playback }: { playback: Playback }) {
  if (playback.pace.kind === "clock") {
    const options = CLOCK_SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }));
    return <Select label="Speed" hideLabel value={String(playback.speed)} options={options} onChange={(speed) => playback.change({ speed: Number(speed) })} />;
  }
  return (
    <div className="row transport-sliders">
      <Slider label="Frames a second" value={playback.speed} min={FRAME_SPEEDS.low} max={FRAME_SPEEDS.high} onChange={(speed) => playback.change({ speed })} />
      <Slider label="Stride" value={playback.stride} min={STRIDES.low} max={STRIDES.high} onChange={(stride) => playback.change({ stride })} />
    </div>
  );
}

type Unit = "step" | "tick";

/** Where to go, as a step or as a tick. */
function Jump({ playback, source }: { playback: Playback; source: Source }) {
  const [unit, setUnit] = useState<Unit>("step");
  const [text, setText] = useState("");
  const most = unit === "step" ? source.steps : source.ticks;
  const go = (event: FormEvent) => {
    event.preventDefault();
    const asked = Number(text);
    if (text.trim() === "" || !Number.isFinite(asked)) return;
    playback.pause();
    playback.seek(unit === "step" ? Math.round(asked) : source.stepOfTick(asked));
  };
  return (
    <form className="row" onSubmit={go}>
      <Select label="Jump by" hideLabel value={unit} options={[{ value: "step", label: "step" }, { value: "tick", label: "tick" }]} onChange={setUnit} />
      <input
        className="input numbers"
        inputMode="numeric"
        size={6}
        aria-label={`Jump to ${unit}, 0 to ${most}`}
        placeholder={`0–${most}`}
        value={text}
        onChange={(event) => setText(event.target.value.replace(/[^\d]/g, ""))}
      />
      <Button type="submit">Jump</Button>
    </form>
  );
}

async function copyLink(path: string): Promise<void> {
  const link = new URL(path, location.href).href;
  history.replaceState(history.state, "", link);
  try {
    await navigator.clipboard.writeText(link);
    toast("Link to this moment copied");
  } catch {
    toast("The link to this moment is in the address bar now"); // a page without permission to write there
  }
}
