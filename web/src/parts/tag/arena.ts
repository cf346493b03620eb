// What stands still: floor, walls, boxes. Sizes come from the engine's picture.
import {
  BoxGeometry, Color, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, SphereGeometry,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { WHITE } from "../three/white";
import { floorTexture, grassTexture, wallTexture } from "./ground";
import type { Look } from "./look";
import type { Box, TagState } from "./state";

const POST_M = 0.4; // radius of a corner post
const JUMPABLE_M = 1.6; // only for the colour: boxes lower than this can be climbed
const BEVEL_M = 0.12;
const PLATE_INSET_M = 0.17; // of the lighter plate on top of a box
const PLATE_LIGHTER = 0.22;

/** plain: textures that a processor can draw with. */
export function makeArena(state: TagState, look: Look, plain: boolean): Group {
  const arena = new Group();
  arena.add(floor(state, look, plain), surroundings(state, look, plain), ...walls(state, look, plain), ...posts(state, look), ...state.boxes.map((box) => crate(box, look)));
  return arena;
}

function floor({ arenaHalf }: TagState, look: Look, plain: boolean): Mesh {
  const material = new MeshLambertMaterial({ map: floorTexture(look, arenaHalf, plain) });
  const mesh = new Mesh(new PlaneGeometry(2 * arenaHalf, 2 * arenaHalf), material);
  mesh.rotation.x = -Math.PI / 2;
  mesh.receiveShadow = true;
  return mesh;
}

function surroundings({ arenaHalf }: TagState, look: Look, plain: boolean): Mesh {
  const material = new MeshBasicMaterial({ map: grassTexture(look, plain), toneMapped: false });
  const mesh = new Mesh(new PlaneGeometry(9 * arenaHalf, 9 * arenaHalf), material);
  mesh.rotation.x = -Math.PI / 2;
  mesh.position.y = -0.06;
  return mesh;
}

/** Four planes that face inward: a wall between camera and game is seen from behind, and so not at all. */
function walls({ arenaHalf, wallHeight }: TagState, look: Look, plain: boolean): Mesh[] {
  const picture = wallTexture(look, plain);
  return [0, 1, 2, 3].map((side) => {
    const mesh = new Mesh(new PlaneGeometry(2 * arenaHalf, wallHeight), new MeshLambertMaterial({ map: picture }));
    const angle = (side * Math.PI) / 2;
    mesh.position.set(-Math.sin(angle) * arenaHalf, wallHeight / 2, -Math.cos(angle) * arenaHalf);
    mesh.rotation.y = angle;
    mesh.receiveShadow = true;
    return mesh;
  });
}

/** A post with a ball on it at each corner, outside the walls. */
function posts({ arenaHalf, wallHeight }: TagState, look: Look): Mesh[] {
  const at = arenaHalf + POST_M * 0.6;
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].flatMap(([x = 1, z = 1]) => {
    const post = new Mesh(new CylinderGeometry(POST_M, POST_M, wallHeight, 20), skin(look.post));
    const ball = new Mesh(new SphereGeometry(POST_M * 1.15, 20, 14), skin(look.wallCap));
    post.position.set(x * at, wallHeight / 2, z * at);
    ball.position.set(x * at, wallHeight + POST_M * 0.7, z * at);
    post.castShadow = ball.castShadow = true;
    return [post, ball];
  });
}

function crate({ low, high }: Box, look: Look): Group {
  const size = [0, 1, 2].map((axis) => (high[axis] ?? 0) - (low[axis] ?? 0)) as [number, number, number];
  const [wide, tall, deep] = size;
  const colour = new Color(tall < JUMPABLE_M ? look.low : look.tall);
  const body = new Mesh(new RoundedBoxGeometry(...size, 3, Math.min(BEVEL_M, Math.min(...size) / 3)), skin(colour));
  const plate = new Mesh(new BoxGeometry(wide - 2 * PLATE_INSET_M, 0.02, deep - 2 * PLATE_INSET_M), skin(colour.clone().lerp(new Color("#ffffff"), PLATE_LIGHTER)));
  plate.position.y = tall / 2;
  body.castShadow = body.receiveShadow = plate.receiveShadow = true;
  const box = new Group();
  box.add(body, plate);
  box.position.set(...([0, 1, 2].map((axis) => ((high[axis] ?? 0) + (low[axis] ?? 0)) / 2) as [number, number, number]));
  return box;
}

function skin(colour: Color | string): MeshLambertMaterial {
  return new MeshLambertMaterial({ map: WHITE, color: colour });
}
