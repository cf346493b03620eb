// The craft: hull, legs with their feet where the rules have them, and flames that show thrust and torque.
import {
  BoxGeometry, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry,
} from "three";
import { dispose } from "../three/dispose";
import { WHITE } from "../three/white";
import type { Look } from "./look";
import type { LandingState } from "./state";

const HULL_M = 1; // radius, as the rules have it
const MAIN_FLAME_M = 4.2; // at full thrust
const SIDE_FLAME_M = 2.6;
const RCS_FLAME_M = 0.9;
const LEAST_SHOWN = 0.02; // a share of thrust under which no flame is drawn
const FLICKER = 0.09;
const UP = new Vector3(0, 1, 0);

type Paint = { hull: MeshLambertMaterial; foil: MeshLambertMaterial; metal: MeshLambertMaterial; glass: MeshLambertMaterial };

/** A flame that leaves the craft at a place in a direction, as long as what drives it is strong. */
class Flame {
  readonly group = new Group();
  readonly #length: number;

  constructor(at: Vector3, way: Vector3, length: number, width: number, colours: readonly [string, string]) {
    this.#length = length;
    this.group.position.copy(at);
    this.group.quaternion.setFromUnitVectors(UP, way);
    this.group.add(flameCone(width, colours[0], 0.82), flameCone(width * 0.5, colours[1], 0.95));
  }

  show(strength: number, tick: number): void {
    this.group.visible = strength > LEAST_SHOWN;
    const flicker = 1 + FLICKER * Math.sin(tick * 1.7);
    const wide = 0.6 + 0.4 * strength;
    this.group.scale.set(wide, Math.max(0.01, this.#length * strength * flicker), wide);
  }
}

/** One metre long, with its wide end at the nozzle. */
function flameCone(width: number, colour: string, opacity: number): Mesh {
  const cone = new ConeGeometry(width, 1, 14, 1, true).translate(0, 0.5, 0);
  return new Mesh(cone, new MeshBasicMaterial({ map: WHITE, color: colour, transparent: true, opacity, depthWrite: false, toneMapped: false }));
}

export class Craft {
  readonly group = new Group();
  readonly #paint: Paint;
  readonly #main: Flame;
  readonly #side: readonly { flame: Flame; axis: 0 | 2; sign: number }[];
  readonly #rcs: readonly { flame: Flame; axis: 0 | 1; sign: number }[];
  readonly #legLength: number;

  constructor(state: LandingState, look: Look) {
    this.#legLength = state.legLength;
    this.#paint = paintOf(look);
    this.#main = new Flame(new Vector3(0, -1.05, 0), new Vector3(0, -1, 0), MAIN_FLAME_M, 0.42, ["#ff7417", "#fff3c4"]);
    this.#side = ([0, 2] as const).flatMap((axis) => [1, -1].map((sign) => ({ flame: sideFlame(axis, sign), axis, sign })));
    this.#rcs = ([0, 1] as const).flatMap((axis) => [1, -1].flatMap((sign) => [1, -1].map((end) => ({ flame: rcsFlame(axis, sign, end), axis, sign }))));
    this.group.rotation.order = "XYZ";
    this.group.add(...hullOf(this.#paint), ...legsOf(state, this.#paint), this.#main.group, ...this.#side.map((each) => each.flame.group), ...this.#rcs.map((each) => each.flame.group));
    this.group.traverse((part) => {
      if (part instanceof Mesh && part.material instanceof MeshLambertMaterial) part.castShadow = true;
    });
  }

  /** scale: larger than it is, to be seen from far away; its feet stay where they are. */
  show({ place, pitch, roll, thrust, rcs, tick }: LandingState, scale: number, charred: boolean): void {
    this.group.rotation.set(pitch, 0, roll);
    this.group.scale.setScalar(scale);
    const lift = UP.clone().applyEuler(this.group.rotation).multiplyScalar(this.#legLength * (scale - 1));
    this.group.position.set(...place).add(lift);
    this.#main.show(Math.max(0, thrust[1]), tick);
    for (const { flame, axis, sign } of this.#side) flame.show(Math.max(0, thrust[axis] * sign), tick);
    for (const { flame, axis, sign } of this.#rcs) flame.show(Math.max(0, rcs[axis] * sign), tick);
    const shade = charred ? 0.25 : 1;
    for (const material of Object.values(this.#paint)) material.color.set(material.userData.colour as string).multiplyScalar(shade);
  }

  dispose(): void {
    dispose(this.group, [WHITE]);
  }
}

function paintOf(look: Look): Paint {
  const made = (colour: string) => {
    const material = new MeshLambertMaterial({ map: WHITE, color: colour });
    material.userData.colour = colour;
    return material;
  };
  return { hull: made(look.hull), foil: made(look.foil), metal: made(look.metal), glass: made(look.glass) };
}

function placed(shape: BufferGeometry, material: MeshLambertMaterial, x: number, y: number, z: number): Mesh {
  const mesh = new Mesh(shape, material);
  mesh.position.set(x, y, z);
  return mesh;
}

function hullOf({ hull, foil, metal, glass }: Paint): Mesh[] {
  return [
    placed(new CylinderGeometry(HULL_M * 0.95, HULL_M, 0.85, 8), foil, 0, -0.35, 0),
    placed(new CylinderGeometry(HULL_M * 0.6, HULL_M * 0.95, 0.35, 8), hull, 0, 0.25, 0),
    placed(new SphereGeometry(HULL_M * 0.66, 24, 14), hull, 0, 0.52, 0),
    placed(new BoxGeometry(0.62, 0.26, 0.3), glass, 0, 0.68, 0.52),
    placed(new CylinderGeometry(0.24, 0.44, 0.42, 16), metal, 0, -0.92, 0),
    placed(new CylinderGeometry(0.02, 0.02, 0.6, 6), metal, 0.2, 1.35, 0),
    placed(new CylinderGeometry(0.16, 0.16, 0.05, 16), metal, 0.2, 1.6, 0),
    ...[0, 1, 2, 3].map((side) => {
      const nozzle = placed(new CylinderGeometry(0.1, 0.17, 0.24, 12), metal, 0, -0.3, 0);
      const way = new Vector3(Math.cos((side * Math.PI) / 2), 0, Math.sin((side * Math.PI) / 2));
      nozzle.position.addScaledVector(way, HULL_M + 0.04);
      nozzle.quaternion.setFromUnitVectors(UP, way.clone().negate());
      return nozzle;
    }),
  ];
}

/** Four legs, whose feet are where the rules look for contact. */
function legsOf({ legLength, legSpread }: LandingState, { metal, foil }: Paint): Mesh[] {
  return [-1, 1].flatMap((x) =>
    [-1, 1].flatMap((z) => {
      const foot = new Vector3(x * legSpread, -legLength, z * legSpread);
      const knee = foot.clone().multiplyScalar(0.86).setY(-legLength + 0.18);
      return [
        strut(new Vector3(x * 0.62, -0.05, z * 0.62), knee, 0.07, metal),
        strut(new Vector3(x * 0.66, -0.72, z * 0.66), knee, 0.05, metal),
        strut(knee, foot, 0.05, metal),
        placed(new CylinderGeometry(0.24, 0.28, 0.08, 16), foil, foot.x, foot.y + 0.04, foot.z),
      ];
    }),
  );
}

function strut(from: Vector3, to: Vector3, radius: number, material: MeshLambertMaterial): Mesh {
  const way = to.clone().sub(from);
  const mesh = new Mesh(new CylinderGeometry(radius, radius, way.length(), 8), material);
  mesh.position.copy(from).addScaledVector(way, 0.5);
  mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, way.normalize()));
  return mesh;
}

/** A push along an axis is a flame out of the other side. */
function sideFlame(axis: 0 | 2, sign: number): Flame {
  const way = new Vector3().setComponent(axis, -sign);
  const at = way.clone().multiplyScalar(HULL_M + 0.1).setY(-0.3);
  return new Flame(at, way, SIDE_FLAME_M, 0.2, ["#ff7417", "#fff3c4"]);
}

/** A torque about X (0) or Z (1) is a pair of puffs, one high and one low, that push opposite ways. */
function rcsFlame(axis: 0 | 1, sign: number, end: number): Flame {
  // A positive turn about X moves what is high toward +Z, one about Z toward -X.
  const push = axis === 0 ? new Vector3(0, 0, sign * end) : new Vector3(-sign * end, 0, 0);
  const way = push.clone().negate();
  const at = way.clone().multiplyScalar(end > 0 ? 0.62 : 0.96).setY(end > 0 ? 0.75 : -0.6);
  return new Flame(at, way, RCS_FLAME_M, 0.09, ["#bfe6ff", "#ffffff"]);
}
