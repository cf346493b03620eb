// The walker: a body, a head with a headset, and two hands with controllers.
import { BoxGeometry, CapsuleGeometry, CylinderGeometry, GreaterDepth, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, SphereGeometry, TorusGeometry } from "three";
import { contactShadow } from "../three/contactShadow";
import { dispose } from "../three/dispose";
import { WHITE } from "../three/white";
import type { Look } from "./look";
import type { NavigationState } from "./state";

const HEAD_M = 0.17; // radius
const NECK_M = 0.22; // from the eyes down to the shoulders
const BODY_SHARE = 0.62; // of the collider's radius: shoulders are narrower than the room that a body takes
const GHOST = 0.3; // opacity of what shines through walls

export class Walker {
  readonly group = new Group();
  readonly #body = new Group();
  readonly #head = new Group();
  readonly #hands: readonly [Group, Group];
  readonly #shadow: ReturnType<typeof contactShadow>;

  constructor({ headHeight, playerRadius }: NavigationState, look: Look) {
    const lambert = (color: string) => new MeshLambertMaterial({ map: WHITE, color });
    const radius = playerRadius * BODY_SHARE;
    const tall = headHeight - NECK_M;
    const torso = new Mesh(new CapsuleGeometry(radius, tall - 2 * radius, 6, 18), lambert(look.body));
    torso.position.y = tall / 2;
    const ghost = new Mesh(torso.geometry, new MeshBasicMaterial({ map: WHITE, color: look.body, transparent: true, opacity: GHOST, depthFunc: GreaterDepth, depthWrite: false }));
    ghost.position.copy(torso.position);
    this.#body.add(torso, ghost);
    this.#head.add(...headParts(look, lambert));
    this.#head.position.y = headHeight;
    this.#body.add(this.#head);
    this.#hands = [handOf(look, lambert), handOf(look, lambert)];
    this.#shadow = contactShadow(playerRadius * 2.6);
    this.group.add(this.#body, ...this.#hands, this.#shadow);
    this.group.traverse((part) => {
      if (part instanceof Mesh && part.material instanceof MeshLambertMaterial) part.castShadow = true;
    });
  }

  /** inside: the camera looks through the headset, so that only the hands are seen. scale: of body and head. */
  show({ place: [x, y, z], yaw, roll, left, right }: NavigationState, inside: boolean, scale: number): void {
    this.#body.visible = !inside;
    this.#body.scale.setScalar(scale);
    this.#body.position.set(x, y, z);
    this.#body.rotation.y = yaw;
    this.#head.rotation.z = roll;
    [left, right].forEach((place, i) => {
      this.#hands[i]?.position.set(...place);
      this.#hands[i]?.rotation.set(0, yaw, 0);
    });
    this.#shadow.visible = y > -0.01;
    this.#shadow.position.set(x, 0.02, z);
    this.#shadow.material.opacity = 0.45;
  }

  dispose(): void {
    dispose(this.group, [WHITE, ...(this.#shadow.material.map ? [this.#shadow.material.map] : [])]);
  }
}

type Made = (colour: string) => MeshLambertMaterial;

/** The face looks to -z, as the rules have it. */
function headParts(look: Look, made: Made): Mesh[] {
  const skull = new Mesh(new SphereGeometry(HEAD_M, 22, 16), made(look.skin));
  const visor = new Mesh(new BoxGeometry(0.29, 0.15, 0.13), made(look.headset));
  visor.position.set(0, 0.01, -HEAD_M * 0.95);
  const lens = new Mesh(new BoxGeometry(0.23, 0.08, 0.02), made(look.body));
  lens.position.set(0, 0.01, -HEAD_M * 0.95 - 0.07);
  const strap = new Mesh(new TorusGeometry(HEAD_M * 1.02, 0.022, 8, 28), made(look.headset));
  strap.rotation.x = Math.PI / 2;
  return [skull, visor, lens, strap];
}

function handOf(look: Look, made: Made): Group {
  const hand = new Group();
  const palm = new Mesh(new SphereGeometry(0.075, 14, 10), made(look.skin));
  const grip = new Mesh(new CylinderGeometry(0.026, 0.03, 0.15, 10), made(look.headset));
  grip.rotation.x = -0.9;
  grip.position.z = -0.05;
  const ring = new Mesh(new TorusGeometry(0.06, 0.014, 8, 18), made(look.headset));
  ring.position.set(0, 0.05, -0.1);
  hand.add(palm, grip, ring);
  return hand;
}
