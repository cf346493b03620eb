// Terrain, pad, and rings of distance round it.
import {
  AlwaysDepth, BufferAttribute, BufferGeometry, CircleGeometry, Color, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, RepeatWrapping,
} from "three";
import { drawTexture, line, scatter } from "../three/textures";
import type { Look } from "./look";
import { heightAt, type LandingState, type Terrain } from "./state";

const REACH_M = 4000; // radius of the mesh
const MESH = { plain: { rings: 110, sectors: 120 }, fine: { rings: 200, sectors: 220 } };
const GATHERING = 1.8; // cells are the smaller the nearer to the pad
const FADE_M = [500, 2800] as const; // where the haze begins, and hides the ground
const TILE_M = 100; // that one picture of the ground covers
const RINGS_M = [50, 100, 200, 400];
const RING_CORNERS = 96;
const RING_LIFT = 0.008; // of the radius: above the flat triangles of the mesh, which grow with it
const APRON_M = 7; // radius of the paved ground round the pad

/** plain: what a processor can draw. */
export function makeGround(state: LandingState, look: Look, plain: boolean): Group {
  const ground = new Group();
  ground.add(terrainMesh(state.terrain, look, plain), apron(state, look, plain), rings(state.terrain, look));
  return ground;
}

function terrainMesh(terrain: Terrain, look: Look, plain: boolean): Mesh {
  const shape = terrainShape(terrain, plain ? MESH.plain : MESH.fine, look);
  const picture = drawTexture(512, 512, (pen) => paintGround(pen, look), plain);
  picture.wrapS = picture.wrapT = RepeatWrapping;
  const mesh = new Mesh(shape, new MeshLambertMaterial({ map: picture, vertexColors: true }));
  mesh.receiveShadow = true;
  return mesh;
}

/** A disc of rings, close together near the pad and far apart far away. */
function terrainShape(terrain: Terrain, { rings, sectors }: { rings: number; sectors: number }, look: Look): BufferGeometry {
  const side = sectors + 1;
  const places = new Float32Array((rings + 1) * side * 3);
  const colours = new Float32Array((rings + 1) * side * 3);
  const uvs = new Float32Array((rings + 1) * side * 2);
  const [valley, hill, haze] = [new Color(look.valley), new Color(look.hill), new Color(look.haze)];
  const paint = new Color();
  for (let ring = 0; ring <= rings; ring++)
    for (let sector = 0; sector <= sectors; sector++) {
      const i = ring * side + sector;
      const away = (ring / rings) ** GATHERING * REACH_M;
      const angle = (sector / sectors) * 2 * Math.PI;
      const [x, z] = [Math.sin(angle) * away, Math.cos(angle) * away];
      const y = heightAt(terrain, x, z);
      places.set([x, y, z], i * 3);
      uvs.set([x / TILE_M, z / TILE_M], i * 2);
      const high = terrain.height > 0 ? 0.5 + y / (2 * terrain.height) : 0.5;
      const far = Math.min(1, Math.max(0, (away - FADE_M[0]) / (FADE_M[1] - FADE_M[0])));
      paint.lerpColors(valley, hill, high).lerp(haze, far);
      colours.set([paint.r, paint.g, paint.b], i * 3);
    }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(places, 3));
  shape.setAttribute("color", new BufferAttribute(colours, 3));
  shape.setAttribute("uv", new BufferAttribute(uvs, 2));
  shape.setIndex(corners(rings, sectors));
  shape.computeVertexNormals();
  return shape;
}

function corners(rings: number, sectors: number): number[] {
  const index: number[] = [];
  for (let ring = 0; ring < rings; ring++)
    for (let sector = 0; sector < sectors; sector++) {
      const a = ring * (sectors + 1) + sector;
      const b = a + sectors + 1;
      index.push(a, b, a + 1, a + 1, b, b + 1);
    }
  return index;
}

/** Grain, stones, and a line each 50 m: the eye needs something to judge speed by. */
function paintGround(pen: CanvasRenderingContext2D, look: Look): void {
  const random = scatter(5);
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, 512, 512);
  for (let i = 0; i < 2600; i++) {
    pen.fillStyle = `rgb(0 0 0 / ${(0.03 + random() * 0.1).toFixed(3)})`;
    const size = 1 + random() ** 3 * 7;
    pen.beginPath();
    pen.arc(random() * 512, random() * 512, size / 2, 0, 2 * Math.PI);
    pen.fill();
  }
  pen.strokeStyle = look.grid;
  pen.lineWidth = 3;
  for (const at of [0, 256, 512]) {
    line(pen, at, 0, at, 512);
    line(pen, 0, at, 512, at);
  }
}

/** The pad, painted on paved ground. */
function apron({ padRadius }: LandingState, look: Look, plain: boolean): Mesh {
  const radius = Math.max(APRON_M, padRadius * 1.6);
  const picture = drawTexture(512, 512, (pen) => paintPad(pen, look, (256 / radius) * padRadius), plain);
  const mesh = new Mesh(new CircleGeometry(radius, 64), new MeshLambertMaterial({ map: picture }));
  mesh.rotation.x = -Math.PI / 2;
  mesh.position.y = 0.03;
  mesh.receiveShadow = true;
  return mesh;
}

function paintPad(pen: CanvasRenderingContext2D, look: Look, padPixels: number): void {
  pen.fillStyle = look.apron;
  pen.fillRect(0, 0, 512, 512);
  pen.strokeStyle = pen.fillStyle = look.mark;
  ringOf(pen, 244, 8);
  pen.fillStyle = "rgb(0 0 0 / 32%)";
  pen.beginPath();
  pen.arc(256, 256, padPixels, 0, 2 * Math.PI);
  pen.fill();
  ringOf(pen, padPixels, 12);
  pen.lineWidth = 9;
  const arm = padPixels * 0.5;
  line(pen, 256 - arm, 256, 256 + arm, 256);
  line(pen, 256, 256 - arm, 256, 256 + arm);
  pen.fillStyle = look.mark;
  for (let quarter = 0; quarter < 4; quarter++) {
    pen.save();
    pen.translate(256, 256);
    pen.rotate((quarter * Math.PI) / 2);
    pen.beginPath();
    pen.moveTo(0, -padPixels - 26);
    pen.lineTo(-26, -padPixels - 78);
    pen.lineTo(26, -padPixels - 78);
    pen.fill();
    pen.restore();
  }
}

function ringOf(pen: CanvasRenderingContext2D, radius: number, width: number): void {
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(256, 256, radius, 0, 2 * Math.PI);
  pen.stroke();
}

/** Lines on the terrain at 50, 100, 200 and 400 m from the pad. */
function rings(terrain: Terrain, look: Look): LineSegments {
  const places: number[] = [];
  const at = (radius: number, corner: number) => {
    const angle = (corner / RING_CORNERS) * 2 * Math.PI;
    const [x, z] = [Math.cos(angle) * radius, Math.sin(angle) * radius];
    return [x, heightAt(terrain, x, z) + 0.3 + RING_LIFT * radius, z];
  };
  for (const radius of RINGS_M) for (let i = 0; i < RING_CORNERS; i++) places.push(...at(radius, i), ...at(radius, i + 1));
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  return new LineSegments(shape, new LineBasicMaterial({ color: look.ring, transparent: true, opacity: 0.55 }));
}

/** A ring that shows where the pad is when it is too far away to be seen itself. */
export function makeBeacon(look: Look): Mesh<BufferGeometry, MeshBasicMaterial> {
  const shape = new BufferGeometry();
  const places: number[] = [];
  for (let i = 0; i <= 48; i++) {
    const angle = (i / 48) * 2 * Math.PI;
    places.push(Math.cos(angle) * 0.8, 0, Math.sin(angle) * 0.8, Math.cos(angle), 0, Math.sin(angle));
  }
  shape.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  shape.setIndex(Array.from({ length: 48 }, (_, i) => [2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3]).flat());
  return new Mesh(shape, new MeshBasicMaterial({ color: look.mark, transparent: true, opacity: 0.9, depthWrite: false, depthFunc: AlwaysDepth }));
}
