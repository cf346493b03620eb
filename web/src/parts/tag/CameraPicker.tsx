import { Select, type Option } from "../ui";
import type { CameraMode } from "./cameras";

/** Every way to look at a match of these agents. */
export function CameraPicker({ names, camera, onChange }: { names: readonly string[]; camera: CameraMode; onChange: (mode: CameraMode) => void }) {
  const options: Option<CameraMode>[] = [
    { value: "both", label: "Near them all" },
    { value: "orbit", label: "Round the arena" },
    { value: "top", label: "From above" },
    ...names.map((name, i): Option<CameraMode> => ({ value: `chase:${i}`, label: `Behind ${name}` })),
    ...names.map((name, i): Option<CameraMode> => ({ value: `eyes:${i}`, label: `Through ${name}'s eyes` })),
  ];
  return <Select label="Camera" hideLabel value={camera} options={options} onChange={onChange} />;
}
