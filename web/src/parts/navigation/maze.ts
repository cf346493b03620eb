// Floor, walls, pits and the goal, as things to draw.
import {
  BufferAttribute, BufferGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, OctahedronGeometry, RingGeometry, type Texture,
} from "three";
import { drawTexture, line, scatter } from "../three/textures";
import { WHITE } from "../three/white";
import { buildGrid, type Faces } from "./building";
import type { Look } from "./look";
import type { NavigationState } from "./state";

const BEACON_M = 7; // taller than walls
const SIGN_M = 0.55;

/** plain: textures that a processor can draw with. */
export function makeMaze({ grid }: NavigationState, look: Look, plain: boolean): Group {
  const { floor, walls, tops, pits } = buildGrid(grid);
  const maze = new Group();
  maze.add(
    meshOf(floor, new MeshLambertMaterial({ map: floorTexture(look, plain) })),
    meshOf(walls, new MeshLambertMaterial({ map: wallTexture(look, plain) }), true),
    meshOf(tops, new MeshLambertMaterial({ map: plainColour(look.wallTop, plain) }), true),
    meshOf(pits, new MeshLambertMaterial({ map: pitTexture(look, plain) })),
  );
  return maze;
}

function meshOf({ places, normals, uvs, index }: Faces, material: MeshLambertMaterial, casts = false): Mesh {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  shape.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  shape.setAttribute("uv", new BufferAttribute(new Float32Array(uvs), 2));
  shape.setIndex(index);
  const mesh = new Mesh(shape, material);
  mesh.castShadow = casts;
  mesh.receiveShadow = true;
  return mesh;
}

function floorTexture(look: Look, plain: boolean): Texture {
  return drawTexture(128, 128, (pen) => {
    const light = pen.createRadialGradient(64, 64, 10, 64, 64, 95);
    light.addColorStop(0, look.floorLit);
    light.addColorStop(1, look.floor);
    pen.fillStyle = light;
    pen.fillRect(0, 0, 128, 128);
    pen.strokeStyle = look.grid;
    pen.lineWidth = 2;
    pen.strokeRect(0, 0, 128, 128);
  }, plain);
}

function wallTexture(look: Look, plain: boolean): Texture {
  return drawTexture(128, 128, (pen) => {
    const random = scatter(31);
    pen.fillStyle = look.wall;
    pen.fillRect(0, 0, 128, 128);
    for (let row = 0; row < 8; row++) {
      pen.fillStyle = `rgb(0 0 0 / ${(random() * 0.12).toFixed(3)})`;
      pen.fillRect(0, row * 16, 128, 16);
      pen.strokeStyle = "rgb(0 0 0 / 16%)";
      pen.lineWidth = 1.5;
      line(pen, 0, row * 16, 128, row * 16);
    }
  }, plain);
}

function plainColour(colour: string, plain: boolean): Texture {
  return drawTexture(8, 8, (pen) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 8, 8);
  }, plain);
}

/** Dark from the edge down. */
function pitTexture(look: Look, plain: boolean): Texture {
  return drawTexture(16, 128, (pen) => {
    const fade = pen.createLinearGradient(0, 0, 0, 128);
    fade.addColorStop(0, look.floor);
    fade.addColorStop(0.3, look.pit);
    fade.addColorStop(1, "#000000");
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 16, 128);
  }, plain);
}

/** A column of light with a sign on top, as wide as the goal is. */
export function makeGoal({ goal: [x, z], goalRadius }: NavigationState, look: Look): Group {
  const goal = new Group();
  const glow = (opacity: number) => new MeshBasicMaterial({ map: WHITE, color: look.goal, transparent: true, opacity, depthWrite: false, toneMapped: false });
  const ring = new Mesh(new RingGeometry(goalRadius * 0.9, goalRadius, 40), glow(0.95));
  const disc = new Mesh(new RingGeometry(0, goalRadius * 0.9, 40), glow(0.28));
  ring.rotation.x = disc.rotation.x = -Math.PI / 2;
  ring.position.y = disc.position.y = 0.03;
  const column = new CylinderGeometry(goalRadius * 0.92, goalRadius * 0.92, BEACON_M, 32, 1, true).translate(0, BEACON_M / 2, 0);
  const sign = new Mesh(new OctahedronGeometry(SIGN_M), new MeshLambertMaterial({ map: WHITE, color: look.goal, emissive: look.goal, emissiveIntensity: 0.35 }));
  sign.position.y = 3.1;
  goal.add(ring, disc, new Mesh(column, glow(0.13)), sign);
  goal.position.set(x, 0, z);
  return goal;
}
