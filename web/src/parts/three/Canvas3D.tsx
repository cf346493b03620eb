// A 3D picture with its labels. It draws when there is something new to see, and rests otherwise.
import { useEffect, useRef, useState, type PointerEvent, type RefObject } from "react";
import { useTheme } from "../../style/theme";
import { ErrorNote } from "../ui";
import type { Label, Scene3D, Theme } from "./scene";
import "./three.css";

type Drawn = { state: object; sinceEnd: number };

type Props<M extends Drawn, Options> = {
  /** Another function makes another scene. */
  make: (canvas: HTMLCanvasElement, theme: Theme) => Scene3D<M, Options>;
  /** The moment to draw now; null: nothing yet. Called once an animation frame. */
  momentNow: () => M | null;
  options: Options;
  labels: readonly string[];
  description: string; // for those who cannot see it
  className?: string;
  onDrawn?: (yaw: number) => void; // after each picture: the way the camera looks, in radians
};

export function Canvas3D<M extends Drawn, Options>(props: Props<M, Options>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const [failure, setFailure] = useState<unknown>(null);
  const scene = useScene(canvas, labels, latest, props.make, setFailure);
  useEffect(() => {
    latest.current = props;
    scene.current?.choose(props.options);
  });

  const drag = useRef<{ x: number; y: number } | null>(null);
  const down = (event: PointerEvent) => {
    drag.current = { x: event.clientX, y: event.clientY };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    scene.current?.turn(event.clientX - drag.current.x, event.clientY - drag.current.y);
    drag.current = { x: event.clientX, y: event.clientY };
  };
  if (failure) return <ErrorNote title="No 3D picture here." error={failure} />;
  return (
    <div className={`canvas3d ${props.className ?? ""}`}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.description}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
      />
      <div ref={labels} className="canvas3d-labels" aria-hidden="true">
        {props.labels.map((name, i) => (
          <span key={i}>{name}</span>
        ))}
      </div>
    </div>
  );
}

function useScene<M extends Drawn, Options>(
  canvas: RefObject<HTMLCanvasElement | null>,
  labels: RefObject<HTMLDivElement | null>,
  latest: RefObject<Props<M, Options>>,
  make: Props<M, Options>["make"],
  onFailure: (error: unknown) => void,
): RefObject<Scene3D<M, Options> | null> {
  const scene = useRef<Scene3D<M, Options> | null>(null);
  const theme = useTheme();
  const themeNow = useRef(theme);
  useEffect(() => {
    themeNow.current = theme;
    scene.current?.setTheme(theme);
  }, [theme]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let picture: Scene3D<M, Options>;
    try {
      picture = make(element, themeNow.current);
    } catch {
      onFailure(new Error("This browser gives pages no WebGL; switch it on, or use another browser."));
      return;
    }
    scene.current = picture;
    picture.choose(latest.current.options);
    const stop = keepDrawing(picture, element, labels, latest);
    const watcher = new ResizeObserver(() => picture.resize(element.clientWidth, element.clientHeight));
    watcher.observe(element);
    return () => {
      stop();
      watcher.disconnect();
      picture.dispose();
      scene.current = null;
    };
  }, [canvas, labels, latest, make, onFailure]);
  return scene;
}

const REST_MS = 300; // without anything new: then it is worth drawing well

/** Draws while something changes: the moment, the camera, the size, the theme. */
function keepDrawing<M extends Drawn, Options>(
  picture: Scene3D<M, Options>,
  canvas: HTMLCanvasElement,
  labels: RefObject<HTMLDivElement | null>,
  latest: RefObject<Props<M, Options>>,
): () => void {
  let request = 0;
  let before = performance.now();
  let shown = "";
  let drawn: object | null = null;
  let moving = false;
  let movedAt = 0; // when the last picture was drawn
  const draw = (now: number) => {
    request = requestAnimationFrame(draw);
    const moment = latest.current.momentNow();
    if (!moment) return;
    const size = canvas.clientWidth * 10_000 + canvas.clientHeight;
    const key = [picture.key(), size, themeKey(), moment.sinceEnd < 0].join();
    if (drawn === moment.state && key === shown && !moving && !picture.stale) {
      before = now;
      if (now - movedAt > REST_MS) picture.refine(moment);
      return;
    }
    movedAt = now;
    moving = picture.show(moment, Math.max(0, now - before) / 1000); // the first frame's time may be older than `before`
    before = now;
    shown = key;
    drawn = moment.state;
    if (!canvas.dataset.drawn) performance.mark("first picture"); // how long a visitor waited; docs/site.md
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1); // pictures so far, for those who measure
    placeLabels(picture.labels(moment), labels.current);
    latest.current.onDrawn?.(picture.yaw);
  };
  request = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(request);
}

function themeKey(): string {
  return document.documentElement.dataset.theme ?? matchMedia("(prefers-color-scheme: dark)").matches.toString();
}

function placeLabels(labels: readonly Label[], holder: HTMLDivElement | null): void {
  labels.forEach(({ x, y, shown, className = "", text }, i) => {
    const label = holder?.children[i] as HTMLElement | undefined;
    if (!label) return;
    label.hidden = !shown;
    label.className = className;
    if (text !== undefined && label.textContent !== text) label.textContent = text;
    label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
  });
}
