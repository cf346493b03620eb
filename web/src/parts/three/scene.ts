// What every 3D picture has: a renderer, a sun and the air, a quality that follows the machine. A game's scene extends it.
import { ACESFilmicToneMapping, Color, DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import type { Vector } from "./motion";
import { PlainLook } from "./plain";
import { Quality } from "./quality";
import { drawsBySoftware } from "./software";

/** What is to be seen: `state` is the same object as long as nothing moves. */
export type Moment<S> = {
  state: S;
  past: readonly S[]; // of the last steps, oldest first, without the present one
  sinceEnd: number; // seconds since the episode ended; negative: it goes on
};

export type Lighting = {
  sky: string; // what the far ground fades into
  sun: { colour: string; strength: number };
  air: { above: string; below: string; strength: number };
  exposure: number;
};

export type Label = { x: number; y: number; shown: boolean; className?: string; text?: string }; // in pixels of the canvas

export type Theme = "dark" | "light";

const LABEL_PIXELS = { wide: 64, high: 34 }; // from the edges of the picture, for labels that stay within it
const SUN_FROM: Vector = [-0.9, 1.9, 0.55]; // in halves of what it lights

/** Smooth edges where a graphics card draws; a processor that has to do it all starts plainly. */
function contextOf(canvas: HTMLCanvasElement): { context: WebGL2RenderingContext; slow: boolean } {
  const slow = drawsBySoftware();
  const context = canvas.getContext("webgl2", { alpha: true, powerPreference: "high-performance", antialias: !slow });
  if (!context) throw new Error("no WebGL");
  return { context, slow };
}

export abstract class Scene3D<M, Options> {
  readonly quality: Quality;
  stale = true; // nothing is on the canvas: a new size empties it
  protected readonly scene = new Scene();
  protected readonly plain: boolean; // where a processor draws: textures and materials of the simple kind
  protected size = { width: 1, height: 1 };
  readonly #renderer: WebGLRenderer;
  readonly #sun = new DirectionalLight();
  readonly #air = new HemisphereLight();
  readonly #plainLook: PlainLook | null; // in motion, where a processor draws

  /** The camera that draws now. */
  protected abstract readonly camera: PerspectiveCamera;

  /** Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement) {
    const { context, slow } = contextOf(canvas);
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.debug.checkShaderErrors = import.meta.env.DEV; // asking waits for each program by itself
    this.quality = new Quality(slow);
    this.plain = slow;
    this.#plainLook = slow ? new PlainLook() : null;
    this.#renderer.toneMapping = ACESFilmicToneMapping;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.scene.add(this.#air, this.#sun, this.#sun.target);
  }

  /** Places everything for a moment. Returns whether the picture is still in motion by itself. */
  protected abstract arrange(moment: M, seconds: number): boolean;
  /** The camera fits a new size. */
  protected abstract fit(width: number, height: number): void;
  /** What else the picture depends on: the place that was chosen for the camera, what is shown. */
  abstract key(): string;
  abstract choose(options: Options): void;
  abstract setTheme(theme: Theme): void;
  /** Somebody dragged the picture by so many pixels. */
  abstract turn(dx: number, dy: number): void;
  abstract labels(moment: M): readonly Label[];
  protected abstract clear(): void;

  /** The way the camera looks over the ground: 0 to -z, positive to the left, in radians. */
  get yaw(): number {
    const ahead = this.camera.getWorldDirection(new Vector3());
    return Math.atan2(-ahead.x, -ahead.z);
  }

  protected light({ sky, sun, air, exposure }: Lighting): void {
    this.scene.background = new Color(sky);
    this.#sun.color.set(sun.colour);
    this.#sun.intensity = sun.strength;
    this.#air.color.set(air.above);
    this.#air.groundColor.set(air.below);
    this.#air.intensity = air.strength;
    this.#renderer.toneMappingExposure = exposure;
  }

  /** Shadows fall within a square of twice `half` metres round a place. */
  protected placeSun(half: number, [x, y, z]: Vector = [0, 0, 0]): void {
    this.#sun.target.position.set(x, y, z);
    this.#sun.position.set(x + SUN_FROM[0] * half, y + SUN_FROM[1] * half, z + SUN_FROM[2] * half);
    const view = this.#sun.shadow.camera;
    if (view.right === half * 1.25) return;
    view.left = view.bottom = -half * 1.25;
    view.right = view.top = half * 1.25;
    view.near = 1;
    view.far = half * 5;
    view.updateProjectionMatrix();
    this.#sun.shadow.bias = -0.0006;
    this.#sun.shadow.normalBias = 0.03;
    this.#applyQuality();
  }

  resize(width: number, height: number): void {
    this.size = { width, height };
    this.stale = true;
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality.pixelRatio));
    this.#renderer.setSize(width, height, false);
    this.fit(width, height);
  }

  /** Draws a moment. Returns whether the picture is still in motion by itself. */
  show(moment: M, seconds: number): boolean {
    if (this.quality.rest(false) || this.quality.spent(seconds * 1000)) this.#applyQuality();
    return this.#draw(moment, seconds);
  }

  /** Draws a moment that stands still once more, where pictures in motion had to be plainer. */
  refine(moment: M): void {
    if (!this.quality.rest(true)) return;
    this.#applyQuality();
    this.#draw(moment, 0);
  }

  #draw(moment: M, seconds: number): boolean {
    const moving = this.arrange(moment, seconds);
    if (this.quality.shadowPixels > 0) this.#plainLook?.takeOff();
    else this.#plainLook?.putOn(this.scene, this.#sun, this.#air);
    this.#renderer.render(this.scene, this.camera);
    this.stale = false;
    return moving;
  }

  #applyQuality(): void {
    const { shadowPixels } = this.quality;
    this.#renderer.shadowMap.enabled = this.#sun.castShadow = shadowPixels > 0;
    if (shadowPixels > 0 && this.#sun.shadow.mapSize.x !== shadowPixels) {
      this.#sun.shadow.mapSize.set(shadowPixels, shadowPixels);
      this.#sun.shadow.map?.dispose();
      this.#sun.shadow.map = null;
    }
    this.resize(this.size.width, this.size.height);
  }

  /** Where a place of the scene is on the canvas. */
  protected labelAt([x, y, z]: Vector): Label {
    const point = new Vector3(x, y, z).project(this.camera);
    return {
      x: ((point.x + 1) / 2) * this.size.width,
      y: ((1 - point.y) / 2) * this.size.height,
      shown: point.z < 1 && Math.abs(point.x) < 1.1 && Math.abs(point.y) < 1.1,
    };
  }

  /** The same, kept within the picture: a place beside it is shown at the edge on its side. */
  protected labelWithin(place: Vector): Label {
    const point = new Vector3(...place).applyMatrix4(this.camera.matrixWorldInverse);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const ahead = Math.max(-point.z, 0.05); // what is behind is far out at its side
    const [right, up] = [point.x / (ahead * tall * this.camera.aspect), point.y / (ahead * tall)];
    const { width, height } = this.size;
    const out = Math.max(Math.abs(right) / (1 - (2 * LABEL_PIXELS.wide) / width), Math.abs(up) / (1 - (2 * LABEL_PIXELS.high) / height), 1);
    return { x: ((right / out + 1) / 2) * width, y: ((1 - up / out) / 2) * height, shown: true };
  }

  /** Before parts of the scene go: they wear their own materials again. */
  protected undress(): void {
    this.#plainLook?.takeOff();
  }

  dispose(): void {
    this.undress();
    this.clear();
    this.#sun.shadow.map?.dispose();
    this.#renderer.dispose();
  }
}
