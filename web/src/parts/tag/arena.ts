// What stands still: floor, fence, crates. Sizes come from the engine's picture.
import {
  BoxGeometry, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, Texture,
} from "three";
import { crateTexture, fenceTexture, floorTexture, grassTexture } from "./ground";
import type { Look } from "./look";
import type { Box, TagState } from "./state";

const FENCE_PICTURE_M = 4; // metres that one picture of the fence is wide
const JUMPABLE_M = 1.6; // only for the colour: crates lower than this can be climbed

/** plain: textures that a processor can draw with. */
export function makeArena(state: TagState, look: Look, plain: boolean): Group {
  const arena = new Group();
  const crates = { low: crateTexture(look.low, look.crateLine, plain), tall: crateTexture(look.tall, look.crateLine, plain) };
  arena.add(floor(state, look, plain), surroundings(state, look, plain), ...fence(state, look, plain), ...state.boxes.map((box) => crate(box, crates)));
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
function fence({ arenaHalf, wallHeight }: TagState, look: Look, plain: boolean): Mesh[] {
  const picture = fenceTexture(look, plain);
  picture.repeat.x = (2 * arenaHalf) / FENCE_PICTURE_M;
  return [0, 1, 2, 3].map((side) => {
    const mesh = new Mesh(new PlaneGeometry(2 * arenaHalf, wallHeight), new MeshLambertMaterial({ map: picture }));
    const angle = (side * Math.PI) / 2;
    mesh.position.set(-Math.sin(angle) * arenaHalf, wallHeight / 2, -Math.cos(angle) * arenaHalf);
    mesh.rotation.y = angle;
    mesh.receiveShadow = true;
    return mesh;
  });
}

function crate({ low, high }: Box, pictures: { low: Texture; tall: Texture }): Mesh {
  const size = [0, 1, 2].map((axis) => (high[axis] ?? 0) - (low[axis] ?? 0)) as [number, number, number];
  const material = new MeshLambertMaterial({ map: size[1] < JUMPABLE_M ? pictures.low : pictures.tall });
  const mesh = new Mesh(new BoxGeometry(...size), material);
  mesh.position.set(...([0, 1, 2].map((axis) => ((high[axis] ?? 0) + (low[axis] ?? 0)) / 2) as [number, number, number]));
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
