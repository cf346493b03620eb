// The short moving pictures of one step, drawn over the sector. They are made anew for each step and end by
// themselves; who asks for less motion sees their still form (prospector.css).
import type { CSSProperties, ReactNode } from "react";
import type { Effect as EffectKey } from "../art";
import type { Effect } from "./effects";
import { CENTER, HEIGHT, pointList, scatter, WIDTH, type Point } from "./geometry";

type Drawing = (effect: Effect) => ReactNode;

const DRAWINGS: Record<EffectKey, Drawing> = {
  travel: () => <Streaks />,
  burn: () => <Flare />,
  "pulse.wide": () => <Pulse kind="scan" to={112} rings={2} />,
  "beam.thin": ({ target }) => <Beam target={target} kind="scan" width={0.9} />,
  "sweep.long": ({ target }) => <Sweep target={target} />,
  "ping.soft": () => <Pulse kind="soft" to={60} rings={1} />,
  "ring.select": ({ target }) => <Ring target={target} kind="select" />,
  "beam.weak": ({ target }) => <Mining target={target} width={1} sparks={3} />,
  "beam.medium": ({ target }) => <Mining target={target} width={1.9} sparks={6} />,
  "beam.bright": ({ target }) => <Mining target={target} width={3.2} sparks={10} />,
  "ring.field": ({ target }) => <Ring target={target} kind="field" />,
  sparkle: () => <Sparkles />,
  "burst.radial": () => <Burst kind="cool" at={CENTER} rays={16} reach={52} />,
  "flash.tool": () => <Flash kind="tool" />,
  "flash.hull": () => <Flash kind="hull" />,
  "debris.drift": () => <Debris at={CENTER} pieces={7} reach={46} kind="cargo" />,
  "glow.dock": () => <Flash kind="dock" />,
  "flyout.credits": ({ words }) => <Flyout words={words ?? ""} />,
  "pulse.confirm": () => <Pulse kind="good" to={34} rings={1} />,
  "pulse.repair": () => <Pulse kind="good" to={80} rings={3} />,
  "banner.end": ({ words }) => <Banner words={words ?? ""} />,
  "border.pirate": () => <Border kind="pirate" />,
  "explosion.rock": ({ target }) => <Explosion at={target ?? CENTER} size={22} />,
  "explosion.ship": () => <Explosion at={CENTER} size={64} final />,
  "shimmer.heat": () => <Border kind="heat" />,
  "engine.sputter": () => <Sputter />,
  "flash.warning": () => <Border kind="warning" />,
  "tag.burst": () => null, // another game's
};

export function Effects({ effects, moment }: { effects: readonly Effect[]; moment: number }) {
  return (
    <g key={moment} className="fx" aria-hidden="true">
      {effects.map((effect) => (
        <g key={effect.key} data-effect={effect.key}>
          {DRAWINGS[effect.key](effect)}
        </g>
      ))}
    </g>
  );
}

function Pulse({ kind, to, rings }: { kind: string; to: number; rings: number }) {
  return Array.from({ length: rings }, (_, i) => (
    <circle key={i} className={`fx-pulse fx-${kind}`} cx={CENTER.x} cy={CENTER.y} r={to} style={{ animationDelay: `${i * 130}ms` }} />
  ));
}

function Beam({ target, kind, width }: { target: Point | null; kind: string; width: number }) {
  if (!target) return null;
  return <line className={`fx-beam fx-${kind}`} x1={CENTER.x} y1={CENTER.y} x2={target.x} y2={target.y} strokeWidth={width} />;
}

function Mining({ target, width, sparks }: { target: Point | null; width: number; sparks: number }) {
  if (!target) return null;
  return (
    <>
      <Beam target={target} kind="mine" width={width} />
      <Burst kind="spark" at={target} rays={sparks} reach={9 + width * 2} />
    </>
  );
}

function Sweep({ target }: { target: Point | null }) {
  if (!target) return null;
  const angle = (Math.atan2(target.y - CENTER.y, target.x - CENTER.x) * 180) / Math.PI;
  return (
    <g transform={`translate(${CENTER.x} ${CENTER.y}) rotate(${angle})`}>
      <path className="fx-sweep" d="M0 0L104 -24A107 107 0 0 1 104 24Z" />
    </g>
  );
}

function Ring({ target, kind }: { target: Point | null; kind: string }) {
  if (!target) return null;
  return <circle className={`fx-ring fx-${kind}`} cx={target.x} cy={target.y} r={18} style={{ transformOrigin: `${target.x}px ${target.y}px` }} />;
}

function Burst({ kind, at, rays, reach }: { kind: string; at: Point; rays: number; reach: number }) {
  return Array.from({ length: rays }, (_, i) => {
    const angle = (i / rays) * 2 * Math.PI + 0.2;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return (
      <line key={i} className={`fx-ray fx-${kind}`} pathLength={1} x1={at.x + c * reach * 0.35} y1={at.y + s * reach * 0.35} x2={at.x + c * reach} y2={at.y + s * reach} />
    );
  });
}

function Streaks() {
  const next = scatter(17);
  return (
    <>
      {Array.from({ length: 22 }, (_, i) => {
        const [y, x, length] = [next() * HEIGHT, next() * WIDTH, 24 + next() * 70];
        return <line key={i} className="fx-streak" x1={x} y1={y} x2={x + length} y2={y} style={{ animationDelay: `${next() * 120}ms` }} />;
      })}
      <path className="fx-flare" d={`M${CENTER.x - 12} ${CENTER.y - 4}L${CENTER.x - 46} ${CENTER.y}L${CENTER.x - 12} ${CENTER.y + 4}Z`} />
    </>
  );
}

function Flare() {
  return <path className="fx-flare fx-burn" d={`M${CENTER.x - 11} ${CENTER.y - 7}L${CENTER.x - 70} ${CENTER.y}L${CENTER.x - 11} ${CENTER.y + 7}Z`} />;
}

function Sparkles() {
  const next = scatter(5);
  return Array.from({ length: 9 }, (_, i) => {
    const [x, y] = [CENTER.x + (next() - 0.5) * 60, CENTER.y + (next() - 0.5) * 50];
    return <path key={i} className="fx-sparkle" d={`M${x} ${y - 5}l1.3 3.7l3.7 1.3l-3.7 1.3l-1.3 3.7l-1.3-3.7l-3.7-1.3l3.7-1.3z`} style={{ animationDelay: `${i * 45}ms` }} />;
  });
}

function Flash({ kind }: { kind: string }) {
  return <circle className={`fx-flash fx-${kind}`} cx={CENTER.x} cy={CENTER.y} r={kind === "dock" ? 56 : 24} />;
}

function Debris({ at, pieces, reach, kind }: { at: Point; pieces: number; reach: number; kind: string }) {
  return Array.from({ length: pieces }, (_, i) => {
    const angle = (i / pieces) * 2 * Math.PI + 0.6;
    const drift = { "--drift-x": `${Math.cos(angle) * reach}px`, "--drift-y": `${Math.sin(angle) * reach}px` } as CSSProperties;
    return <rect key={i} className={`fx-debris fx-${kind}`} x={at.x - 2} y={at.y - 2} width={4} height={4} rx={0.8} style={drift} />;
  });
}

function Flyout({ words }: { words: string }) {
  return (
    <text className="fx-flyout" x={CENTER.x} y={CENTER.y - 34} textAnchor="middle">
      {words}
    </text>
  );
}

function Banner({ words }: { words: string }) {
  if (!words) return null;
  return (
    <g className="fx-banner">
      <rect x={0} y={CENTER.y - 24} width={WIDTH} height={48} />
      <text x={CENTER.x} y={CENTER.y + 7} textAnchor="middle">
        {words}
      </text>
    </g>
  );
}

function Border({ kind }: { kind: string }) {
  return <rect className={`fx-border fx-${kind}`} x={2} y={2} width={WIDTH - 4} height={HEIGHT - 4} rx={6} />;
}

function Explosion({ at, size, final = false }: { at: Point; size: number; final?: boolean }) {
  const star = Array.from({ length: 18 }, (_, i) => {
    const reach = size * (i % 2 ? 0.5 : 1);
    const angle = (i / 18) * 2 * Math.PI;
    return { x: at.x + Math.cos(angle) * reach, y: at.y + Math.sin(angle) * reach };
  });
  return (
    <>
      <polygon className="fx-blast" points={pointList(star)} style={{ transformOrigin: `${at.x}px ${at.y}px` }} />
      <circle className="fx-blast fx-core" cx={at.x} cy={at.y} r={size * 0.55} style={{ transformOrigin: `${at.x}px ${at.y}px` }} />
      <Debris at={at} pieces={10} reach={size * 1.7} kind="rock" />
      {final && <rect className="fx-fade" width={WIDTH} height={HEIGHT} />}
    </>
  );
}

function Sputter() {
  return (
    <>
      <Border kind="warning" />
      {[0, 1, 2].map((i) => (
        <circle key={i} className="fx-puff" cx={CENTER.x - 18 - i * 11} cy={CENTER.y + (i % 2 ? 3 : -2)} r={4 + i * 1.5} style={{ animationDelay: `${i * 180}ms` }} />
      ))}
    </>
  );
}
