// A match of tag in 3D, with the names of the agents.
import { useCallback, useMemo } from "react";
import { Canvas3D } from "../three/Canvas3D";
import type { Theme } from "../three/scene";
import type { CameraMode } from "./cameras";
import { TagScene, type Extras, type TagMoment } from "./scene";
import "./tag.css";

type Props = {
  momentNow: () => TagMoment | null;
  names: readonly string[]; // one an agent
  camera: CameraMode;
  extras: Extras;
  viewSpread: number; // radians that an agent sees
  description: string;
  foot?: number; // share of the picture's height that is covered at its foot
  onDrawn?: (yaw: number) => void;
};

export function TagCanvas({ momentNow, names, camera, extras, viewSpread, description, foot = 0, onDrawn }: Props) {
  const make = useCallback((canvas: HTMLCanvasElement, theme: Theme) => new TagScene(canvas, theme, viewSpread), [viewSpread]);
  const options = useMemo(() => ({ camera, extras, foot }), [camera, extras, foot]);
  return (
    <Canvas3D
      className="tag-canvas"
      make={make}
      momentNow={momentNow}
      options={options}
      labels={names}
      description={description}
      {...(onDrawn ? { onDrawn } : {})}
    />
  );
}
