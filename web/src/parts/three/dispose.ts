import { LineSegments, Material, Mesh, Object3D, Points, Texture } from "three";

/** Gives back what the graphics card holds of a part and all in it; textures that others wear too are left alone. */
export function dispose(part: Object3D, shared: readonly Texture[] = []): void {
  part.traverse((each) => {
    if (!(each instanceof Mesh || each instanceof LineSegments || each instanceof Points)) return;
    each.geometry.dispose();
    for (const material of [each.material].flat() as Material[]) {
      const picture = (material as Material & { map?: Texture | null }).map;
      if (picture && !shared.includes(picture)) picture.dispose();
      material.dispose();
    }
  });
}
