// A soft dark spot: says how high a body is, also where shadows are switched off.
import { CanvasTexture, Mesh, MeshBasicMaterial, PlaneGeometry } from "three";
import { madePlain } from "./textures";

const PIXELS = 64;

let blob: CanvasTexture | null = null;

function softSpot(): CanvasTexture {
  if (blob) return blob;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PIXELS;
  const pen = canvas.getContext("2d");
  if (pen) {
    const fade = pen.createRadialGradient(32, 32, 4, 32, 32, 31);
    fade.addColorStop(0, "rgb(0 0 0 / 90%)");
    fade.addColorStop(1, "rgb(0 0 0 / 0%)");
    pen.fillStyle = fade;
    pen.fillRect(0, 0, PIXELS, PIXELS);
  }
  return (blob = madePlain(new CanvasTexture(canvas)));
}

/** size: metres. It lies flat; its material's opacity is the caller's. */
export function contactShadow(size: number): Mesh<PlaneGeometry, MeshBasicMaterial> {
  const mesh = new Mesh(new PlaneGeometry(size, size), new MeshBasicMaterial({ map: softSpot(), transparent: true, depthWrite: false }));
  mesh.rotation.x = -Math.PI / 2;
  mesh.renderOrder = 1;
  return mesh;
}
