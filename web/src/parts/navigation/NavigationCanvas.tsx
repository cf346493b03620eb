// A walk in 3D.
import { useMemo } from "react";
import { Canvas3D } from "../three/Canvas3D";
import type { Moment, Theme } from "../three/scene";
import type { Option } from "../ui";
import type { CameraMode } from "./cameras";
import { NavigationScene } from "./scene";
import type { NavigationState } from "./state";
import "./navigation.css";

export const CAMERAS: readonly Option<CameraMode>[] = [
  { value: "behind", label: "Behind the walker" },
  { value: "eyes", label: "Through the headset" },
  { value: "round", label: "Round the walker" },
  { value: "top", label: "From above" },
];

const LABELS = ["goal", "walker"];

type Props = { momentNow: () => Moment<NavigationState> | null; camera: CameraMode; rays: boolean; description: string };

const make = (canvas: HTMLCanvasElement, theme: Theme) => new NavigationScene(canvas, theme);

export function NavigationCanvas({ momentNow, camera, rays, description }: Props) {
  const options = useMemo(() => ({ camera, rays }), [camera, rays]);
  return <Canvas3D className="navigation-canvas" make={make} momentNow={momentNow} options={options} labels={LABELS} description={description} />;
}
