// Textures drawn by code: a sandlot from above, planks, crates. No files.
import { CanvasTexture, LinearFilter, LinearMipmapNearestFilter, RepeatWrapping, SRGBColorSpace, type Texture } from "three";
import type { Look } from "./look";

const FLOOR_PIXELS = 1024;
const PLAIN_SCALE = 0.5;

/** Always the same scatter: a picture of a replay does not change when it is drawn again. */
function scatter(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function draw(width: number, height: number, paint: (pen: CanvasRenderingContext2D) => void, plain: boolean): CanvasTexture {
  const scale = plain ? PLAIN_SCALE : 1;
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen?.scale(scale, scale);
  if (pen) paint(pen);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 4;
  return plain ? madePlain(texture) : texture;
}

/** Looked up in the simplest way, the same for all of them: a processor that draws compiles each way of looking up anew. */
export function madePlain<T extends Texture>(texture: T): T {
  texture.generateMipmaps = true;
  texture.minFilter = LinearMipmapNearestFilter;
  texture.magFilter = LinearFilter;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 1;
  return texture;
}

/** Sand with grain, a faint metre grid, and chalk: the boundary, a diamond and a ring in the middle. */
export function floorTexture(look: Look, half: number, plain: boolean): CanvasTexture {
  return draw(FLOOR_PIXELS, FLOOR_PIXELS, (pen) => {
    const metre = FLOOR_PIXELS / (2 * half);
    const light = pen.createRadialGradient(512, 512, 80, 512, 512, 720);
    light.addColorStop(0, look.sandLit);
    light.addColorStop(1, look.sand);
    pen.fillStyle = light;
    pen.fillRect(0, 0, FLOOR_PIXELS, FLOOR_PIXELS);
    if (!plain) grain(pen);
    pen.strokeStyle = look.grid;
    pen.lineWidth = 1;
    for (let at = metre; at < FLOOR_PIXELS - 1; at += metre) {
      line(pen, at, 0, at, FLOOR_PIXELS);
      line(pen, 0, at, FLOOR_PIXELS, at);
    }
    chalk(pen, look, metre, half);
  }, plain);
}

function grain(pen: CanvasRenderingContext2D): void {
  const random = scatter(7);
  for (let i = 0; i < 9000; i++) {
    const shade = random();
    pen.fillStyle = shade < 0.5 ? `rgb(0 0 0 / ${0.05 + shade * 0.08})` : `rgb(255 255 255 / ${(shade - 0.5) * 0.09})`;
    const size = 0.6 + random() * 1.8;
    pen.fillRect(random() * FLOOR_PIXELS, random() * FLOOR_PIXELS, size, size);
  }
}

function chalk(pen: CanvasRenderingContext2D, look: Look, metre: number, half: number): void {
  pen.strokeStyle = look.chalk;
  pen.lineWidth = 0.09 * metre;
  pen.lineJoin = "round";
  const edge = 0.55 * metre;
  pen.strokeRect(edge, edge, FLOOR_PIXELS - 2 * edge, FLOOR_PIXELS - 2 * edge);
  const centre = FLOOR_PIXELS / 2;
  const reach = half * 0.62 * metre;
  pen.globalAlpha = 0.55;
  pen.beginPath();
  for (const [x, y] of [[0, -1], [1, 0], [0, 1], [-1, 0]] as const) pen.lineTo(centre + x * reach, centre + y * reach);
  pen.closePath();
  pen.stroke();
  pen.beginPath();
  pen.arc(centre, centre, 1.6 * metre, 0, 2 * Math.PI);
  pen.stroke();
  pen.globalAlpha = 1;
}

function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** Ground beyond the fence: grass that fades into the sky's colour, so that the arena is the one bright place. */
export function grassTexture(look: Look, plain: boolean): CanvasTexture {
  return draw(512, 512, (pen) => {
    const fade = pen.createRadialGradient(256, 256, 40, 256, 256, 250);
    fade.addColorStop(0, look.grass);
    fade.addColorStop(1, look.sky);
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 512, 512);
  }, plain);
}

/** Upright boards of a fence; one picture is four metres wide. */
export function fenceTexture(look: Look, plain: boolean): CanvasTexture {
  const texture = draw(256, 128, (pen) => {
    const random = scatter(11);
    for (let board = 0; board < 8; board++) {
      pen.fillStyle = look.fence;
      pen.fillRect(board * 32, 0, 32, 128);
      pen.fillStyle = `rgb(0 0 0 / ${random() * 0.14})`;
      pen.fillRect(board * 32, 0, 32, 128);
      pen.fillStyle = "rgb(0 0 0 / 26%)";
      pen.fillRect(board * 32, 0, 2, 128);
    }
    pen.fillStyle = look.fenceRail;
    pen.fillRect(0, 0, 256, 10);
  }, plain);
  texture.wrapS = RepeatWrapping;
  return texture;
}

/** One side of a crate. */
export function crateTexture(colour: string, line: string, plain: boolean): CanvasTexture {
  return draw(128, 128, (pen) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 128, 128);
    const random = scatter(23);
    for (let i = 0; i < 60; i++) {
      pen.fillStyle = `rgb(0 0 0 / ${random() * 0.06})`;
      pen.fillRect(0, random() * 128, 128, 1 + random() * 2);
    }
    pen.strokeStyle = line;
    pen.lineWidth = 7;
    pen.strokeRect(3.5, 3.5, 121, 121);
    pen.lineWidth = 2;
    for (const at of [45, 84]) {
      pen.beginPath();
      pen.moveTo(6, at);
      pen.lineTo(122, at);
      pen.stroke();
    }
  }, plain);
}
