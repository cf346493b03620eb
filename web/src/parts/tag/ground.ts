// Textures drawn by code: a sandlot from above, planks, crates.
import { RepeatWrapping, type CanvasTexture } from "three";
import { drawTexture, line, scatter } from "../three/textures";
import type { Look } from "./look";

const FLOOR_PIXELS = 1024;

/** Sand with grain, a faint metre grid, and chalk: the boundary, a diamond and a ring in the middle. */
export function floorTexture(look: Look, half: number, plain: boolean): CanvasTexture {
  return drawTexture(FLOOR_PIXELS, FLOOR_PIXELS, (pen) => {
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

/** Ground beyond the fence: grass that fades into the sky's colour, so that the arena is the one bright place. */
export function grassTexture(look: Look, plain: boolean): CanvasTexture {
  return drawTexture(512, 512, (pen) => {
    const fade = pen.createRadialGradient(256, 256, 40, 256, 256, 250);
    fade.addColorStop(0, look.grass);
    fade.addColorStop(1, look.sky);
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 512, 512);
  }, plain);
}

/** Upright boards of a fence; one picture is four metres wide. */
export function fenceTexture(look: Look, plain: boolean): CanvasTexture {
  const texture = drawTexture(256, 128, (pen) => {
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
  return drawTexture(128, 128, (pen) => {
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
