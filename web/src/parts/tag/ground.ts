// Textures drawn by code: the court from above, its walls, the lawn.
import type { CanvasTexture } from "three";
import { drawTexture, line, scatter } from "../three/textures";
import type { Look } from "./look";

const FLOOR_PIXELS = 1024;

const SQUARE_M = 2; // of the checks on the floor
const RING_M = 3.5; // radius of the circle in the middle

/** Checks with grain, and chalk: the boundary, a line and a ring in the middle. */
export function floorTexture(look: Look, half: number, plain: boolean): CanvasTexture {
  return drawTexture(FLOOR_PIXELS, FLOOR_PIXELS, (pen) => {
    const metre = FLOOR_PIXELS / (2 * half);
    pen.fillStyle = look.floor;
    pen.fillRect(0, 0, FLOOR_PIXELS, FLOOR_PIXELS);
    pen.fillStyle = look.floorDark;
    const squares = Math.ceil((2 * half) / SQUARE_M);
    const side = SQUARE_M * metre;
    for (let i = 0; i < squares * squares; i++) {
      const [row, column] = [Math.floor(i / squares), i % squares];
      if ((row + column) % 2) pen.fillRect(column * side, row * side, side, side);
    }
    if (!plain) grain(pen);
    chalk(pen, look, metre);
  }, plain);
}

function grain(pen: CanvasRenderingContext2D): void {
  const random = scatter(7);
  for (let i = 0; i < 5000; i++) {
    const shade = random();
    pen.fillStyle = shade < 0.5 ? `rgb(0 0 0 / ${0.02 + shade * 0.04})` : `rgb(255 255 255 / ${(shade - 0.5) * 0.09})`;
    const size = 0.6 + random() * 1.8;
    pen.fillRect(random() * FLOOR_PIXELS, random() * FLOOR_PIXELS, size, size);
  }
}

function chalk(pen: CanvasRenderingContext2D, look: Look, metre: number): void {
  pen.strokeStyle = look.chalk;
  pen.lineWidth = 0.12 * metre;
  const edge = 0.55 * metre;
  pen.strokeRect(edge, edge, FLOOR_PIXELS - 2 * edge, FLOOR_PIXELS - 2 * edge);
  const centre = FLOOR_PIXELS / 2;
  line(pen, edge, centre, FLOOR_PIXELS - edge, centre);
  pen.beginPath();
  pen.arc(centre, centre, RING_M * metre, 0, 2 * Math.PI);
  pen.stroke();
}

/** The lawn beyond the walls: grass that fades into the sky's colour, so that the court is the one bright place. */
export function grassTexture(look: Look, plain: boolean): CanvasTexture {
  return drawTexture(512, 512, (pen) => {
    const fade = pen.createRadialGradient(256, 256, 40, 256, 256, 250);
    fade.addColorStop(0, look.grass);
    fade.addColorStop(1, look.sky);
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 512, 512);
  }, plain);
}

/** A smooth wall with a cap along its top and a band along the floor. */
export function wallTexture(look: Look, plain: boolean): CanvasTexture {
  return drawTexture(64, 128, (pen) => {
    pen.fillStyle = look.wall;
    pen.fillRect(0, 0, 64, 128);
    pen.fillStyle = look.wallCap;
    pen.fillRect(0, 0, 64, 16);
    pen.fillStyle = "rgb(0 0 0 / 14%)"; // the cap's shade
    pen.fillRect(0, 16, 64, 4);
    pen.fillStyle = look.wallBand;
    pen.fillRect(0, 116, 64, 12);
  }, plain);
}
