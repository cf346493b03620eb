import { useState, type FormEvent } from "react";
import { apiUrl } from "../../api/client";
import { replayFileName, replayFilePath } from "../../api/watch";
import type { Playback } from "../../parts/player/playback";
import type { Source } from "../../parts/player/source";
import type { Way } from "../../parts/player/open";
import { useFrame } from "../../parts/player/usePlayback";
import { Button, Details, Select } from "../../parts/ui";

const WAYS: readonly { value: Way; label: string }[] = [
  { value: "engine", label: "Played again in this page" },
  { value: "http", label: "Frames of the server, by HTTP" },
  { value: "socket", label: "Frames of the server, by WebSocket" },
];

type Props = { source: Source; playback: Playback; way: Way; tag: string; onWay: (way: Way) => void; onTag: (tag: string) => void };

/** Rarely needed: the source of frames, any tag as a filter, the raw frame, the file. */
export function Advanced({ source, playback, way, tag, onWay, onTag }: Props) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(tag);
  const filter = (event: FormEvent) => {
    event.preventDefault();
    onTag(text.trim());
  };
  const { runId, replayId, seed } = source.facts;
  return (
    <Details summary="Advanced">
      <div className="stack">
        <Select label="Frames come from" value={way} options={WAYS} onChange={onWay} />
        <form className="row" onSubmit={filter}>
          <input className="input" aria-label="Tag to filter by" placeholder="any tag, e.g. milestone:return:*" value={text} onChange={(event) => setText(event.target.value)} />
          <Button type="submit">Filter</Button>
        </form>
        <p className="small soft">
          Seed <span className="numbers">{seed}</span>
          {runId && (
            <>
              {" · "}
              <a href={apiUrl(replayFilePath(runId, replayId))} download={replayFileName(replayId)}>
                download the replay
              </a>
            </>
          )}
        </p>
        <Button onClick={() => setOpen(!open)} aria-expanded={open}>
          {open ? "Hide the raw frame" : "Show the raw frame"}
        </Button>
        {open && <RawFrame source={source} playback={playback} />}
      </div>
    </Details>
  );
}

function RawFrame({ source, playback }: { source: Source; playback: Playback }) {
  const frame = useFrame(source, playback);
  if (!frame) return null;
  return (
    <pre className="raw numbers" tabIndex={0} aria-label="Raw frame">
      {JSON.stringify(frame.raw ?? frame, plainArrays, 1)}
    </pre>
  );
}

function plainArrays(_: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;
}
