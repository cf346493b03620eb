// The 3D scene of one match; shows the moment that it is given.
import { Group } from "three";
import { Confetti } from "../three/confetti";
import { dispose } from "../three/dispose";
import type { Vector } from "../three/motion";
import { Scene3D, type Label, type Moment, type Theme } from "../three/scene";
import { Trail } from "../three/trail";
import { WHITE } from "../three/white";
import { makeArena } from "./arena";
import { Cameras, type CameraMode } from "./cameras";
import { Figure } from "./figure";
import { lookOf, type Look } from "./look";
import { Sight } from "./sight";
import { reader, type TagState } from "./state";

export type TagMoment = Moment<TagState> & {
  unseen?: ReadonlySet<number>; // agents that get no mark but their body: somebody plays who does not see them
};

export type Extras = { sight: boolean; trails: boolean };

type Options = { camera: CameraMode; extras: Extras; foot: number }; // foot: the share of the picture that is covered below

const PAPER = "#fff6dd";
const GOLD = "#e8c47a";

export class TagScene extends Scene3D<TagMoment, Options> {
  readonly cameras: Cameras;
  #extras: Extras = { sight: true, trails: true };
  readonly #confetti = new Confetti();
  #arena: Group | null = null;
  #arenaKey = "";
  #characters: Figure[] = [];
  #sights: Sight[] = [];
  #trails: Trail[] = [];
  #look: Look;
  readonly #viewSpread: number;
  #foot = 0;

  constructor(canvas: HTMLCanvasElement, theme: Theme, viewSpread: number) {
    super(canvas);
    this.#look = lookOf(theme);
    this.#viewSpread = viewSpread;
    this.cameras = new Cameras(viewSpread);
    this.scene.add(this.#confetti.points);
    this.light(this.#look);
  }

  protected get camera() {
    return this.cameras.camera;
  }

  override get yaw(): number {
    return this.cameras.yaw;
  }

  setTheme(theme: Theme): void {
    this.#look = lookOf(theme);
    this.#arenaKey = "";
    for (const figure of this.#characters) figure.paint(this.#look);
    this.light(this.#look);
  }

  choose({ camera, extras, foot }: Options): void {
    this.#extras = extras;
    if (foot !== this.#foot) {
      this.#foot = foot;
      this.fit(this.size.width, this.size.height);
    }
    if (camera !== this.cameras.mode) this.cameras.choose(camera);
  }

  turn(dx: number, dy: number): void {
    this.cameras.turn(dx, dy);
  }

  key(): string {
    const { mode, azimuth, elevation, zoom } = this.cameras;
    return [mode, azimuth, elevation, zoom, this.#extras.sight, this.#extras.trails, this.#foot].join();
  }

  protected fit(width: number, height: number): void {
    this.cameras.resize(width, height, this.#foot);
  }

  protected arrange(moment: TagMoment, seconds: number): boolean {
    const { state } = moment;
    this.#build(state);
    const moving = this.cameras.follow(state, seconds);
    state.agents.forEach((agent, i) => this.#showAgent(moment, i, agent.seeker ? this.#look.seeker : this.#look.hider));
    return this.#celebrate(moment) || moving;
  }

  #showAgent({ state, past, unseen }: TagMoment, i: number, colour: string): void {
    const agent = state.agents[i];
    if (!agent) return;
    const marked = !unseen?.has(i);
    this.#characters[i]?.show(agent, i, state.tick, { hidden: this.cameras.inside === i, shines: marked });
    const sight = this.#sights[i];
    if (sight) {
      sight.show(agent, colour, state.bodyEdge * 0.5);
      sight.group.visible &&= this.#extras.sight && marked && this.cameras.inside !== i;
    }
    const trail = this.#trails[i];
    if (trail) {
      trail.show(pathOf([...past, state], i), colour);
      trail.mesh.visible &&= this.#extras.trails && marked;
    }
  }

  #celebrate({ state, sinceEnd }: TagMoment): boolean {
    const seekersWon = state.winner === 1;
    const winner = state.agents.find((agent) => agent.seeker === seekersWon && !agent.out) ?? state.agents[0];
    if (winner) this.#confetti.show(winner.place, [seekersWon ? this.#look.seeker : this.#look.hider, PAPER, GOLD], state.winner ? sinceEnd : -1);
    return this.#confetti.points.visible;
  }

  /** Figures and arena for this match; anew only when the match is another one. */
  #build(state: TagState): void {
    const key = JSON.stringify([state.arenaHalf, state.wallHeight, state.bodyEdge, state.agents.length, state.boxes]);
    if (key === this.#arenaKey) return;
    this.#arenaKey = key;
    this.undress();
    this.clear();
    this.#arena = makeArena(state, this.#look, this.plain);
    this.#characters = state.agents.map(() => new Figure(state.bodyEdge, this.#look, this.plain));
    this.#sights = state.agents.map((agent, i) => new Sight(agent.rays.length, this.#viewSpread, i));
    this.#trails = state.agents.map(() => new Trail(reader.pastSteps));
    this.scene.add(this.#arena, ...this.#characters.map((each) => each.group), ...this.#sights.map((each) => each.group), ...this.#trails.map((each) => each.mesh));
    this.placeSun(state.arenaHalf);
  }

  labels({ state, unseen }: TagMoment): Label[] {
    return state.agents.map(({ place: [x, y, z], seeker }, i) => {
      const { shown, ...at } = this.labelAt([x, y + state.bodyEdge * 1.35, z]);
      const className = seeker ? "tag-label-seeker" : "tag-label-hider";
      return { ...at, className, shown: shown && this.cameras.inside !== i && !unseen?.has(i) };
    });
  }

  protected clear(): void {
    if (this.#arena) {
      this.scene.remove(this.#arena);
      dispose(this.#arena, [WHITE]);
    }
    for (const figure of this.#characters) {
      this.scene.remove(figure.group);
      figure.dispose();
    }
    for (const sight of this.#sights) {
      this.scene.remove(sight.group);
      sight.dispose();
    }
    for (const trail of this.#trails) {
      this.scene.remove(trail.mesh);
      trail.dispose();
    }
  }

  override dispose(): void {
    super.dispose();
    this.#confetti.dispose();
  }
}

/** Where an agent has been and is, oldest first. */
function pathOf(states: readonly TagState[], agent: number): Vector[] {
  return states.flatMap(({ agents }) => (agents[agent] ? [agents[agent].place] : []));
}
