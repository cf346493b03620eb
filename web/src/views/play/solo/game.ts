// What a real-time game for one player provides to be played in the page. Everything else comes from its spec.
import type { ComponentType, ReactNode } from "react";
import type { PlaySession } from "../../../engine/session";
import type { Moment } from "../../../parts/three/scene";
import type { Reader } from "../../../parts/three/useMoment";
import type { Option } from "../../../parts/ui";
import type { Axes, Bindings } from "../hands";
import type { Touch } from "../TouchPad";

export type ViewProps<S, C extends string> = {
  momentNow: () => Moment<S> | null;
  state: S; // after the last step
  session: PlaySession;
  camera: C;
  onDrawn: (yaw: number) => void;
};

export type SoloGame<S, C extends string> = {
  name: string; // in the engine
  reader: Reader<S>;
  bindings: Bindings;
  touch: Touch;
  /** The action by name. yaw: the way the camera looks, in radians. */
  action: (axes: Axes, yaw: number) => Readonly<Record<string, number>>;
  cameras: readonly Option<C>[]; // the first is shown first
  View: ComponentType<ViewProps<S, C>>; // the picture, and the numbers over it
  good: (state: S) => boolean; // whether the episode is a success
  invitation: { title: string; text: string };
  legend: ReactNode; // which key does what
};
