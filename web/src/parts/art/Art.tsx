// One picture, from an installed pack or drawn, in a page (Art) or inside another drawing (ArtMark).
import { DRAWN } from "./drawn";
import { useArt } from "./manifest";
import { meaning, type Picture } from "./table";

/** decorative: the text beside it already says what it is. */
export function Art({ name, size = 20, decorative = false }: { name: Picture; size?: number; decorative?: boolean }) {
  const file = useArt(name);
  const accessibility = decorative ? { "aria-hidden": true as const } : { role: "img", "aria-label": meaning(name) };
  if (file) return <img src={file} width={size} height={size} alt={decorative ? "" : meaning(name)} className="art" />;
  return (
    <svg className="art" width={size} height={size} viewBox="-50 -50 100 100" data-drawn={name} {...accessibility}>
      {DRAWN[name]}
    </svg>
  );
}

type MarkProps = { name: Picture; x?: number; y?: number; size: number; turn?: number; opacity?: number };

/** Centred at (x, y) of the surrounding svg; `turn` in degrees. */
export function ArtMark({ name, x = 0, y = 0, size, turn = 0, opacity }: MarkProps) {
  const file = useArt(name);
  const place = `translate(${x} ${y}) rotate(${turn})`;
  if (file)
    return <image href={file} x={-size / 2} y={-size / 2} width={size} height={size} transform={place} opacity={opacity} data-art={name} />;
  return (
    <g transform={`${place} scale(${size / 100})`} opacity={opacity} data-art={name} data-drawn="">
      {DRAWN[name]}
    </g>
  );
}
