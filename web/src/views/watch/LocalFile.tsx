// A replay file that the visitor opens: a match saved in Play, or one from somebody else.
import { useEffect, useId, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { Events } from "../../parts/player/Events";
import { usePlayerKeys } from "../../parts/player/keys";
import { keepLocal, useLocal } from "../../parts/player/local";
import type { Source } from "../../parts/player/source";
import { Timeline } from "../../parts/player/Timeline";
import { Transport } from "../../parts/player/Transport";
import { usePlayback } from "../../parts/player/usePlayback";
import { Button, ErrorNote, Loading, Panel } from "../../parts/ui";
import { Readout } from "./Readout";
import { read, write } from "./selection";
import { PlayLink } from "./PlayLinks";
import { Stage } from "./Stage";

const SUFFIX = ".jsonl.gz";

/** Opens a file by choosing it, or by dropping it anywhere on the page. */
export function OpenFile() {
  const [problem, setProblem] = useState<unknown>(null);
  const navigate = useNavigate();
  const id = useId();
  const open = useMemo(
    () => (file: File | undefined) => {
      if (!file) return;
      file.arrayBuffer().then((data) => void navigate(keepLocal(file.name, new Uint8Array(data))), setProblem);
    },
    [navigate],
  );
  useEffect(() => {
    const onOver = (event: DragEvent) => event.preventDefault(); // else the browser leaves the page for the file
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      open(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", onOver);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("drop", onDrop);
    };
  }, [open]);
  return (
    <div className="open-file small soft">
      <label htmlFor={id}>Open a saved match ({SUFFIX}), or drop it here. It stays in this tab.</label>
      <input id={id} type="file" accept=".gz" onChange={(event) => open(event.target.files?.[0])} />
      {problem !== null && <ErrorNote error={problem} />}
    </div>
  );
}

export function LocalFile({ name, tick, onClose }: { name: string; tick: number | null; onClose: () => void }) {
  const opened = useLocal(name);
  const newest = <Button onClick={onClose}>Watch the newest run</Button>;
  return (
    <div className="watch">
      <div className="watch-main">
        <div className="page-head">
          <h1 className="run-name">{name}</h1>
          <span className="push">{newest}</span>
        </div>
        {opened?.error ? (
          <ErrorNote title="This file cannot be shown." error={opened.error} />
        ) : opened?.source ? (
          <Player source={opened.source} tick={tick} />
        ) : (
          <Loading what="the file" />
        )}
      </div>
      <aside className="watch-side" aria-label="Another file">
        <Panel>
          <OpenFile />
        </Panel>
      </aside>
    </div>
  );
}

function Player({ source, tick }: { source: Source; tick: number | null }) {
  const sources = useMemo(() => [source], [source]);
  const playback = usePlayback(sources, tick);
  usePlayerKeys(playback);
  const linkTo = (at: number) => write({ ...read(location.search, ""), tick: at });
  return (
    <>
      <Panel flush>
        <Stage source={source} playback={playback} />
        <Timeline playback={playback} source={source} />
        <Transport playback={playback} source={source} linkTo={linkTo} />
        <Readout source={source} playback={playback} />
      </Panel>
      <PlayLink game={source.facts.game} />
      <Panel title="Events">
        <Events playback={playback} source={source} />
      </Panel>
    </>
  );
}
