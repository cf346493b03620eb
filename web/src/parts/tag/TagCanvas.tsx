// The 3D picture with its labels. It draws when there is something new to see, and rests otherwise.
import { useEffect, useRef, useState, type PointerEvent, type RefObject } from "react";
import { useTheme } from "../../style/theme";
import { ErrorNote } from "../ui";
import type { CameraMode } from "./cameras";
import { lookOf } from "./look";
import { TagScene, type Extras, type Moment } from "./scene";
import "./tag.css";

type Props = {
  /** The moment to draw now; null: nothing yet. Called once an animation frame. */
  momentNow: () => Moment | null;
  names: readonly string[]; // one an agent
  camera: CameraMode;
  extras: Extras;
  viewSpread: number; // radians that an agent sees
  description: string; // for those who cannot see it
  foot?: number; // share of the picture's height that is covered at its foot
  onDrawn?: (yaw: number) => void; // after each picture: the way the camera looks, in radians
};

export function TagCanvas(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const [failure, setFailure] = useState<unknown>(null);
  const scene = useScene(canvas, labels, latest, props.viewSpread, setFailure);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => scene.current?.cameras.choose(props.camera), [props.camera, scene]);

  const drag = useRef<{ x: number; y: number } | null>(null);
  const down = (event: PointerEvent) => {
    drag.current = { x: event.clientX, y: event.clientY };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    scene.current?.cameras.turn(event.clientX - drag.current.x, event.clientY - drag.current.y);
    drag.current = { x: event.clientX, y: event.clientY };
  };
  if (failure) return <ErrorNote title="No 3D picture here." error={failure} />;
  return (
    <div className="tag-canvas">
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.description}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
      />
      <div ref={labels} className="tag-labels" aria-hidden="true">
        {props.names.map((name, i) => (
          <span key={i}>{name}</span>
        ))}
      </div>
    </div>
  );
}

function useScene(
  canvas: RefObject<HTMLCanvasElement | null>,
  labels: RefObject<HTMLDivElement | null>,
  latest: RefObject<Props>,
  viewSpread: number,
  onFailure: (error: unknown) => void,
): RefObject<TagScene | null> {
  const scene = useRef<TagScene | null>(null);
  const theme = useTheme();
  const themeNow = useRef(theme);
  useEffect(() => {
    themeNow.current = theme;
    scene.current?.setLook(lookOf(theme));
  }, [theme]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let picture: TagScene;
    try {
      picture = new TagScene(element, lookOf(themeNow.current), viewSpread);
    } catch {
      onFailure(new Error("This browser gives pages no WebGL; switch it on, or use another browser."));
      return;
    }
    scene.current = picture;
    picture.foot = latest.current.foot ?? 0;
    picture.cameras.choose(latest.current.camera);
    const stop = keepDrawing(picture, element, labels, latest);
    const watcher = new ResizeObserver(() => picture.resize(element.clientWidth, element.clientHeight));
    watcher.observe(element);
    return () => {
      stop();
      watcher.disconnect();
      picture.dispose();
      scene.current = null;
    };
  }, [canvas, labels, latest, viewSpread, onFailure]);
  return scene;
}

const REST_MS = 300; // without anything new: then it is worth drawing well

/** Draws while something changes: the moment, the camera, the size, the theme. */
function keepDrawing(picture: TagScene, canvas: HTMLCanvasElement, labels: RefObject<HTMLDivElement | null>, latest: RefObject<Props>): () => void {
  let request = 0;
  let before = performance.now();
  let shown = "";
  let drawn: Moment["state"] | null = null;
  let moving = false;
  let movedAt = 0; // when the last picture was drawn
  const draw = (now: number) => {
    request = requestAnimationFrame(draw);
    const { momentNow, extras, names } = latest.current;
    const moment = momentNow();
    if (!moment) return;
    const { camera, aspect } = { camera: picture.cameras, aspect: canvas.clientWidth * 10_000 + canvas.clientHeight };
    const key = [camera.mode, camera.azimuth, camera.elevation, camera.zoom, aspect, extras.sight, extras.trails, themeKey(), moment.sinceWin < 0].join();
    if (drawn === moment.state && key === shown && !moving && !picture.stale) {
      before = now;
      if (now - movedAt > REST_MS) picture.refine(moment);
      return;
    }
    movedAt = now;
    picture.extras = extras;
    moving = picture.show(moment, Math.max(0, now - before) / 1000); // the first frame's time may be older than `before`
    before = now;
    shown = key;
    drawn = moment.state;
    if (!canvas.dataset.drawn) performance.mark("first picture"); // how long a visitor waited; docs/site.md
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1); // pictures so far, for those who measure
    placeLabels(picture, moment, labels.current, names);
    latest.current.onDrawn?.(picture.cameras.yaw);
  };
  request = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(request);
}

function themeKey(): string {
  return document.documentElement.dataset.theme ?? matchMedia("(prefers-color-scheme: dark)").matches.toString();
}

function placeLabels(picture: TagScene, moment: Moment, holder: HTMLDivElement | null, names: readonly string[]): void {
  if (!holder) return;
  names.forEach((_, i) => {
    const label = holder.children[i] as HTMLElement | undefined;
    if (!label) return;
    const { x, y, shown } = picture.labelOf(moment, i);
    label.hidden = !shown;
    label.className = moment.state.agents[i]?.seeker ? "tag-label-seeker" : "tag-label-hider";
    label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
  });
}
