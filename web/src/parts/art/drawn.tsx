// The default look: every picture drawn in vectors, around (0, 0) in a square of 100.
import type { ReactNode } from "react";
import type { Picture } from "./table";

const LINE = { fill: "none", stroke: "currentColor", strokeWidth: 8, strokeLinecap: "round", strokeLinejoin: "round" } as const;

function Lines({ d }: { d: string }) {
  return <path d={d} {...LINE} />;
}

function Ship({ hull, glass }: { hull: string; glass: string }) {
  return (
    <>
      <path d="M0-44 14-14 40 26 14 20 8 34H-8l-6-14-26 6 26-40Z" fill={hull} stroke="var(--art-line, #0008)" strokeWidth="2.5" strokeLinejoin="round" />
      <path d="M0-30 8-8Q0-2-8-8Z" fill={glass} />
      <path d="M-6 36h12l-6 12Z" fill="var(--art-fire, #ffb347)" />
    </>
  );
}

/** Rocks with the same corners every time: nothing random. */
function Rock({ size, pits }: { size: number; pits: readonly (readonly [number, number, number])[] }) {
  return (
    <g transform={`scale(${size / 100})`}>
      <path d="M-18-46 20-44 44-16 40 18 18 44-16 46-44 22-46-14Z" fill="var(--art-rock, #8b7f73)" stroke="var(--art-rock-line, #5c534a)" strokeWidth="4" strokeLinejoin="round" />
      <path d="M-18-46 20-44 10-18-30-12-46-14Z" fill="#fff" opacity="0.13" />
      {pits.map(([x, y, r]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={r} fill="#000" opacity="0.22" />
      ))}
    </g>
  );
}

function Stars({ seed }: { seed: number }) {
  let state = seed * 7919 + 17;
  const next = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const dots = Array.from({ length: 46 }, () => [next() * 100 - 50, next() * 100 - 50, 0.25 + next() ** 4 * 0.9, 0.35 + next() * 0.65] as const);
  return (
    <>
      <rect x="-50" y="-50" width="100" height="100" fill={["#070b12", "#0a0a16", "#071018", "#0c0912"][seed]} />
      {dots.map(([x, y, r, light]) => (
        <circle key={`${x}`} cx={x} cy={y} r={r} fill="#dfe7f5" opacity={light} />
      ))}
    </>
  );
}

function Planet({ colour }: { colour: string }) {
  return (
    <>
      <circle r="44" fill={colour} />
      <path d="M-44 0A44 44 0 0 0 44 0Q10 26-44 0Z" fill="#000" opacity="0.25" />
      <path d="M-40-14Q0-2 40-16M-36 22Q0 32 38 20" stroke="#fff" strokeWidth="4" opacity="0.16" fill="none" />
    </>
  );
}

function Ore({ colour, shape }: { colour: string; shape: string }) {
  return (
    <>
      <path d={shape} fill={colour} stroke="#0006" strokeWidth="4" strokeLinejoin="round" />
      <path d={shape} fill="#fff" opacity="0.18" transform="translate(-4 -5) scale(0.6)" />
    </>
  );
}

const GEM = "M-30-34H30L44-8 0 42-44-8Z";
const BLOCK = "M-36-20 0-40 36-20V22L0 42-36 22Z";
const DROP = "M0-44Q34 0 30 18A30 30 0 0 1-30 18Q-34 0 0-44Z";
const PANEL = <rect x="-48" y="-48" width="96" height="96" rx="8" fill="var(--surface, #171d22)" stroke="var(--line, #2b353c)" strokeWidth="2" />;
const button = (colour: string) => <rect x="-48" y="-20" width="96" height="40" rx="8" fill={`var(--${colour})`} />;

const SCAN = "M-34 30A46 46 0 0 1 34 30M-20 12A26 26 0 0 1 20 12M0-6V-6";
const PICK = "M-34 34 12-12M-12-36Q26-30 36 12";
const BOX = "M-30-16 0-32 30-16V18L0 34-30 18ZM-30-16 0 0 30-16M0 0V34";

/** By name; TypeScript sees to it that none is forgotten. */
export const DRAWN: Record<Picture, ReactNode> = {
  "entity.ship.agent": <Ship hull="var(--art-agent, #46bfe0)" glass="#0b2530" />,
  "entity.ship.human": <Ship hull="var(--art-human, #ffa24d)" glass="#331a06" />,
  "entity.station": (
    <>
      <circle r="30" fill="none" stroke="var(--art-station, #c9d2d8)" strokeWidth="10" />
      <path d="M-46 0H46M0-46V46" stroke="var(--art-station, #c9d2d8)" strokeWidth="7" />
      <circle r="13" fill="var(--art-station-core, #e8c47a)" />
      <rect x="-50" y="-9" width="11" height="18" rx="3" fill="#7d8b95" />
      <rect x="39" y="-9" width="11" height="18" rx="3" fill="#7d8b95" />
    </>
  ),
  "entity.asteroid.small": <Rock size={52} pits={[[-10, 6, 12]]} />,
  "entity.asteroid.medium": <Rock size={74} pits={[[-14, 8, 10], [18, -8, 8]]} />,
  "entity.asteroid.large": <Rock size={98} pits={[[-16, 10, 11], [16, -10, 8], [14, 24, 6], [-20, -20, 5]]} />,
  "entity.hazard.meteoroidField": (
    <>
      {[[-26, -20, 34], [20, -26, 26], [28, 18, 38], [-16, 24, 28], [2, 0, 18]].map(([x, y, size]) => (
        <g key={`${x}`} transform={`translate(${x} ${y}) rotate(${(x ?? 0) * 3})`}>
          <Rock size={size ?? 0} pits={[]} />
        </g>
      ))}
    </>
  ),
  "entity.hazard.radiation": (
    <g fill="var(--art-warn, #f0b84a)">
      <circle r="9" />
      {[0, 120, 240].map((turn) => (
        <path key={turn} transform={`rotate(${turn})`} d="M-8-15-20-40A46 46 0 0 1 20-40L8-15A17 17 0 0 0-8-15Z" />
      ))}
    </g>
  ),
  "entity.pirate.marker": (
    <>
      <path d="M0-44 46 38H-46Z" fill="var(--art-bad, #d43c4a)" stroke="#0007" strokeWidth="3" strokeLinejoin="round" />
      <path d="M0-16V12M0 25V26" stroke="#fff" strokeWidth="9" strokeLinecap="round" />
    </>
  ),
  "entity.pirate.ship": (
    <>
      <path d="M0 44-20 10-46-6-30-34-12-22H12L30-34 46-6 20 10Z" fill="var(--art-bad, #d43c4a)" stroke="#0008" strokeWidth="3" strokeLinejoin="round" />
      <path d="M-14-6-2 4M14-6 2 4" stroke="#fff" strokeWidth="5" strokeLinecap="round" />
    </>
  ),
  "background.starfield.0": <Stars seed={0} />,
  "background.starfield.1": <Stars seed={1} />,
  "background.starfield.2": <Stars seed={2} />,
  "background.starfield.3": <Stars seed={3} />,
  "background.planet.0": <Planet colour="#2f4a5c" />,
  "background.planet.1": <Planet colour="#5c4630" />,
  "background.planet.2": <Planet colour="#4a3a5e" />,
  "ui.panel.stats": PANEL,
  "ui.panel.cargo": PANEL,
  "ui.panel.market": PANEL,
  "ui.panel.events": PANEL,
  "ui.panel.minimap": PANEL,
  "ui.bar.frame": <rect x="-48" y="-10" width="96" height="20" rx="10" fill="var(--sunken, #0b0f12)" />,
  "ui.bar.fill": <rect x="-48" y="-10" width="96" height="20" rx="10" fill="var(--accent, #e8c47a)" />,
  "ui.button.primary": button("accent, #e8c47a"),
  "ui.button.secondary": button("raised, #1e262c"),
  "ui.button.danger": button("bad, #ff8f8f"),
  "icon.action.travel": <Lines d="M-40 0H36M12-26 38 0 12 26" />,
  "icon.action.hold": <Lines d="M-16-32V32M16-32V32" />,
  "icon.action.burn": <Lines d="M0-42Q32-6 22 18A24 24 0 0 1-22 18Q-26-2-8-14-4 0 4 2 10-16 0-42Z" />,
  "icon.action.scan.wide": <Lines d={SCAN} />,
  "icon.action.scan.focused": <Lines d="M-36 0H-16M16 0H36M0-36V-16M0 16V36M-16 0A16 16 0 1 0 16 0A16 16 0 1 0-16 0" />,
  "icon.action.scan.deep": <Lines d="M-40-26H40M-28-6H28M-16 14H16M-4 34H4" />,
  "icon.action.listen": <Lines d="M-14 36Q-30 10-30-8A30 30 0 0 1 30-8Q30 8 14 14 6 20 4 34M-12-8A12 12 0 0 1 12-8" />,
  "icon.action.select": <Lines d="M-38-18V-38H-18M18-38H38V-18M38 18V38H18M-18 38H-38V18" />,
  "icon.action.mine.conservative": <Lines d={PICK} />,
  "icon.action.mine.standard": <Lines d={`${PICK}M18 26 30 38`} />,
  "icon.action.mine.aggressive": <Lines d={`${PICK}M14 22 26 34M28 14 40 26M0 32 10 42`} />,
  "icon.action.stabilize": <Lines d="M0-42 36-26V4Q30 32 0 44-30 32-36 4V-26Z" />,
  "icon.action.refine": <Lines d="M-14-40H14M-8-40V-8L-34 38H34L8-8V-40M-20 16H20" />,
  "icon.action.cool": <Lines d="M0-42V42M-36-21 36 21M-36 21 36-21" />,
  "icon.action.tool": <Lines d="M-36 36 2-2M36-24A22 22 0 1 1 12-40L8-22 20-10Z" />,
  "icon.action.patch": <Lines d="M-32-32H32V32H-32ZM0-16V16M-16 0H16" />,
  "icon.action.jettison": <Lines d={`${BOX}M0-34V-46`} />,
  "icon.action.dock": <Lines d="M0-30V40M-34 6Q-34 40 0 40 34 40 34 6M-16-8H16M-8-36A8 8 0 1 0 8-36A8 8 0 1 0-8-36" />,
  "icon.action.sell": <Lines d="M22-28Q0-42-20-28-30-8 0-2 30 6 20 26 0 42-24 28M0-46V46" />,
  "icon.action.buy.fuel": <Lines d="M-30 40V-36H8V40ZM-30-4H8M8-14H24V22Q24 34 34 34V-14L22-28" />,
  "icon.action.buy.kit": <Lines d="M-40-20H40V34H-40ZM-14-20V-36H14V-20M0-6V20M-13 7H13" />,
  "icon.action.buy.stabilizer": <Lines d="M0-42 36-26V4Q30 32 0 44-30 32-36 4V-26ZM-12 2 0 14 16-10" />,
  "icon.action.buy.decoy": <Lines d="M0-40 24-10H-24ZM-30 12H-10M10 12H30M-20 34H0M20 34H36" />,
  "icon.action.overhaul": <Lines d="M-18 0A18 18 0 1 0 18 0A18 18 0 1 0-18 0M0-42V-28M0 28V42M-42 0H-28M28 0H42M-30-30-20-20M20 20 30 30M30-30 20-20M-20 20-30 30" />,
  "icon.action.cashout": <Lines d="M-34 40V-38M-34-36H34L20-14 34 8H-34" />,
  "icon.event.pirate": <Lines d="M-26 6Q-36-40 0-40 36-40 26 6V18H14V34H-14V18H-26ZM-12-8V-4M12-8V-4" />,
  "icon.event.fracture": <Lines d="M-10-44 8-16-14 2 10 20-4 44M-42-8-26-6M26 10 42 12" />,
  "icon.event.overheat": <Lines d="M-8 10V-30A8 8 0 0 1 8-30V10A18 18 0 1 1-8 10ZM0-18V22" />,
  "icon.event.stranded": <Lines d="M-40 40V-20H-4V40M-40 6H-4M14-34 40-8M40-34 14-8" />,
  "icon.event.destroyed": <Lines d="M0-44 10-14 40-26 22 2 44 22 12 20 4 44-10 20-42 28-24 4-44-18-12-14Z" />,
  "icon.event.invalid": <Lines d="M-30-30 30 30M30-30-30 30" />,
  "icon.event.info": <Lines d="M0-10V30M0-32V-31" />,
  "icon.market.up": <path d="M0-32 34 26H-34Z" fill="var(--good, #7ccf8c)" />,
  "icon.market.down": <path d="M0 32-34-26H34Z" fill="var(--bad, #ff8f8f)" />,
  "icon.market.flat": <rect x="-34" y="-7" width="68" height="14" rx="4" fill="var(--ink-faint, #8f9aa1)" />,
  "icon.commodity.iron": <Ore colour="#8a8f94" shape={BLOCK} />,
  "icon.commodity.nickel": <Ore colour="#cfd6da" shape={BLOCK} />,
  "icon.commodity.water_ice": <Ore colour="#4fd0e6" shape={DROP} />,
  "icon.commodity.pge": <Ore colour="#e6b93c" shape={GEM} />,
  "icon.commodity.rare_isotopes": <Ore colour="#d858b8" shape={GEM} />,
  "icon.commodity.volatiles": <Ore colour="#f08a3c" shape={DROP} />,
};
