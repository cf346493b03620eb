// Textures drawn by code. No files.
import { CanvasTexture, LinearFilter, LinearMipmapNearestFilter, RepeatWrapping, SRGBColorSpace, type Texture } from "three";

const PLAIN_SCALE = 0.5;

/** Always the same scatter: a picture of a replay does not change when it is drawn again. */
export function scatter(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** plain: coarser, and looked up in the one way that a processor draws with. */
export function drawTexture(width: number, height: number, paint: (pen: CanvasRenderingContext2D) => void, plain: boolean): CanvasTexture {
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

export function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}
