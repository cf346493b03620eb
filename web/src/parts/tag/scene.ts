// The 3D scene of one match; shows the moment that it is given.
import { ACESFilmicToneMapping, Color, DirectionalLight, Group, HemisphereLight, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import { dispose, makeArena } from "./arena";
import { Cameras } from "./cameras";
import { Confetti } from "./confetti";
import { Figure } from "./figure";
import type { Look } from "./look";
import { Quality } from "./quality";
import { PlainLook } from "./plain";
import { drawsBySoftware } from "./software";
import { Sight } from "./sight";
import type { TagState, Vector } from "./state";
import { Trail } from "./trail";

export type Moment = {
  state: TagState;
  trails: readonly (readonly Vector[])[]; // one an agent, oldest first
  sinceWin: number; // seconds; negative: nobody has won yet
  unseen?: ReadonlySet<number>; // agents that get no mark but their body: somebody plays who does not see them
};

export type Extras = { sight: boolean; trails: boolean };

export type Label = { x: number; y: number; shown: boolean }; // in pixels of the canvas

/** Smooth edges where a graphics card draws; a processor that has to do it all starts plainly. */
function contextOf(canvas: HTMLCanvasElement): { context: WebGL2RenderingContext; slow: boolean } {
  const slow = drawsBySoftware();
  const context = canvas.getContext("webgl2", { alpha: true, powerPreference: "high-performance", antialias: !slow });
  if (!context) throw new Error("no WebGL");
  return { context, slow };
}

export class TagScene {
  readonly cameras: Cameras;
  readonly quality: Quality;
  foot = 0; // share of the picture that is covered below
  stale = true; // nothing is on the canvas: a new size empties it
  extras: Extras = { sight: true, trails: true };
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #sun = new DirectionalLight();
  readonly #air = new HemisphereLight();
  readonly #confetti = new Confetti();
  #arena: Group | null = null;
  #arenaKey = "";
  #characters: Figure[] = [];
  #sights: Sight[] = [];
  #trails: Trail[] = [];
  #look: Look;
  #size = { width: 1, height: 1 };
  readonly #viewSpread: number;
  readonly #plain: PlainLook | null; // in motion, where a processor draws

  /** Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, look: Look, viewSpread: number) {
    const { context, slow } = contextOf(canvas);
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.debug.checkShaderErrors = import.meta.env.DEV; // asking waits for each program by itself
    this.quality = new Quality(slow);
    this.#plain = slow ? new PlainLook() : null;
    this.#renderer.toneMapping = ACESFilmicToneMapping;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#look = look;
    this.#viewSpread = viewSpread;
    this.cameras = new Cameras(viewSpread);
    this.#scene.add(this.#air, this.#sun, this.#sun.target, this.#confetti.points);
    this.#light();
  }

  setLook(look: Look): void {
    this.#look = look;
    this.#arenaKey = "";
    for (const figure of this.#characters) figure.paint(look);
    this.#light();
  }

  #light(): void {
    const { sky, sun, air, exposure } = this.#look;
    this.#scene.background = new Color(sky);
    this.#sun.color.set(sun.colour);
    this.#sun.intensity = sun.strength;
    this.#air.color.set(air.above);
    this.#air.groundColor.set(air.below);
    this.#air.intensity = air.strength;
    this.#renderer.toneMappingExposure = exposure;
  }

  resize(width: number, height: number): void {
    this.#size = { width, height };
    this.stale = true;
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality.pixelRatio));
    this.#renderer.setSize(width, height, false);
    this.cameras.resize(width, height, this.foot);
  }

  /** Draws a moment. Returns whether the picture is still in motion by itself. */
  show(moment: Moment, seconds: number): boolean {
    if (this.quality.rest(false) || this.quality.spent(seconds * 1000)) this.#applyQuality();
    return this.#draw(moment, seconds);
  }

  /** Draws a moment that stands still once more, where pictures in motion had to be plainer. */
  refine(moment: Moment): void {
    if (!this.quality.rest(true)) return;
    this.#applyQuality();
    this.#draw(moment, 0);
  }

  #draw(moment: Moment, seconds: number): boolean {
    const { state } = moment;
    this.#build(state);
    const moving = this.cameras.follow(state, seconds);
    state.agents.forEach((agent, i) => this.#showAgent(moment, i, agent.seeker ? this.#look.seeker : this.#look.hider));
    const bursting = this.#celebrate(moment);
    if (this.quality.shadowPixels > 0) this.#plain?.takeOff();
    else this.#plain?.putOn(this.#scene, this.#sun, this.#air);
    this.#renderer.render(this.#scene, this.cameras.camera);
    this.stale = false;
    return moving || bursting;
  }

  #showAgent({ state, trails, unseen }: Moment, i: number, colour: string): void {
    const agent = state.agents[i];
    if (!agent) return;
    const marked = !unseen?.has(i);
    this.#characters[i]?.show(agent, i, state.tick, { hidden: this.cameras.inside === i, shines: marked });
    const sight = this.#sights[i];
    if (sight) {
      sight.show(agent, colour, state.bodyEdge * 0.5);
      sight.group.visible &&= this.extras.sight && marked && this.cameras.inside !== i;
    }
    const trail = this.#trails[i];
    if (trail) {
      trail.show(trails[i] ?? [], colour);
      trail.mesh.visible &&= this.extras.trails && marked;
    }
  }

  #celebrate({ state, sinceWin }: Moment): boolean {
    const seekersWon = state.winner === 1;
    const winner = state.agents.find((agent) => agent.seeker === seekersWon && !agent.out) ?? state.agents[0];
    if (winner) this.#confetti.show(winner.place, seekersWon ? this.#look.seeker : this.#look.hider, state.winner ? sinceWin : -1);
    return this.#confetti.points.visible;
  }

  /** Figures and arena for this match; anew only when the match is another one. */
  #build(state: TagState): void {
    const key = JSON.stringify([state.arenaHalf, state.wallHeight, state.bodyEdge, state.agents.length, state.boxes]);
    if (key === this.#arenaKey) return;
    this.#arenaKey = key;
    this.#clear();
    this.#arena = makeArena(state, this.#look, this.#plain !== null);
    this.#characters = state.agents.map(() => new Figure(state.bodyEdge, this.#look, this.#plain !== null));
    this.#sights = state.agents.map((agent, i) => new Sight(agent.rays.length, this.#viewSpread, i));
    this.#trails = state.agents.map(() => new Trail());
    this.#scene.add(this.#arena, ...this.#characters.map((each) => each.group), ...this.#sights.map((each) => each.group), ...this.#trails.map((each) => each.mesh));
    this.#placeSun(state.arenaHalf);
  }

  #placeSun(half: number): void {
    this.#sun.position.set(-half * 0.9, half * 1.9, half * 0.55);
    const view = this.#sun.shadow.camera;
    view.left = view.bottom = -half * 1.25;
    view.right = view.top = half * 1.25;
    view.near = 1;
    view.far = half * 5;
    this.#sun.shadow.bias = -0.0006;
    this.#sun.shadow.normalBias = 0.03;
    this.#applyQuality();
  }

  #applyQuality(): void {
    const { shadowPixels } = this.quality;
    this.#renderer.shadowMap.enabled = this.#sun.castShadow = shadowPixels > 0;
    if (shadowPixels > 0 && this.#sun.shadow.mapSize.x !== shadowPixels) {
      this.#sun.shadow.mapSize.set(shadowPixels, shadowPixels);
      this.#sun.shadow.map?.dispose();
      this.#sun.shadow.map = null;
    }
    this.resize(this.#size.width, this.#size.height);
  }

  /** Where an agent's name belongs on the canvas. */
  labelOf({ state, unseen }: Moment, index: number): Label {
    const agent = state.agents[index];
    if (!agent || this.cameras.inside === index || unseen?.has(index)) return { x: 0, y: 0, shown: false };
    const point = new Vector3(agent.place[0], agent.place[1] + state.bodyEdge * 1.35, agent.place[2]).project(this.cameras.camera);
    return {
      x: ((point.x + 1) / 2) * this.#size.width,
      y: ((1 - point.y) / 2) * this.#size.height,
      shown: point.z < 1 && Math.abs(point.x) < 1.1 && Math.abs(point.y) < 1.1,
    };
  }

  #clear(): void {
    this.#plain?.takeOff();
    if (this.#arena) {
      this.#scene.remove(this.#arena);
      dispose(this.#arena);
    }
    for (const figure of this.#characters) {
      this.#scene.remove(figure.group);
      figure.dispose();
    }
    for (const sight of this.#sights) {
      this.#scene.remove(sight.group);
      sight.dispose();
    }
    for (const trail of this.#trails) {
      this.#scene.remove(trail.mesh);
      trail.dispose();
    }
  }

  dispose(): void {
    this.#clear();
    this.#confetti.dispose();
    this.#sun.shadow.map?.dispose();
    this.#renderer.dispose();
  }
}
