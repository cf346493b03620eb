import { DataTexture } from "three";
import { madePlain } from "./textures";

/** What has no texture wears this: then one shader does for both, and each takes its time to compile. */
export const WHITE = oneWhitePixel();

function oneWhitePixel(): DataTexture {
  const texture = madePlain(new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1));
  texture.needsUpdate = true;
  return texture;
}
