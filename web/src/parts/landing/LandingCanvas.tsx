// A descent in 3D.
import { useMemo } from "react";
import { Canvas3D } from "../three/Canvas3D";
import type { Moment, Theme } from "../three/scene";
import type { Option } from "../ui";
import type { CameraMode } from "./cameras";
import { LandingScene } from "./scene";
import type { LandingState } from "./state";
import "./landing.css";

export const CAMERAS: readonly Option<CameraMode>[] = [
  { value: "both", label: "Craft and pad" },
  { value: "close", label: "Close to the craft" },
  { value: "pad", label: "From the pad" },
  { value: "top", label: "From above" },
];

const LABELS = ["craft", "pad"];

type Props = { momentNow: () => Moment<LandingState> | null; camera: CameraMode; description: string; onDrawn?: (yaw: number) => void };

const make = (canvas: HTMLCanvasElement, theme: Theme) => new LandingScene(canvas, theme);

export function LandingCanvas({ momentNow, camera, description, onDrawn }: Props) {
  const options = useMemo(() => ({ camera }), [camera]);
  return (
    <Canvas3D className="landing-canvas" make={make} momentNow={momentNow} options={options} labels={LABELS} description={description} {...(onDrawn ? { onDrawn } : {})} />
  );
}
