// What lies around the ship: its asteroids, each at its slot's angle, or the station; dangers; the effects of the
// last step. A pointer may pick an asteroid; everything it does exists as a button too.
import { useMemo, useState } from "react";
import { ArtMark, useArt, type Picture } from "../art";
import type { Belt, Rock } from "./belt";
import { gauge, goodsOf, unitValue } from "./belt";
import { Effects } from "./Effects";
import { effectsOf } from "./effects";
import type { GameEvent } from "./events";
import { arc, CENTER, HEIGHT, ROCK_RADIUS, rockPlace, rockSize, slotAngle, WIDTH, type RockSize } from "./geometry";
import type { ProspectorSpec } from "./spec";
import { amount, credits, goodName, nodeName, percent } from "./words";

export type Pilot = "agent" | "human";

type Props = {
  spec: ProspectorSpec;
  belt: Belt;
  events: readonly GameEvent[];
  moment: number; // which step this is: a new one shows its effects
  pilot: Pilot;
  onSelect?: (slot: number) => void;
};

const ALARM_ALERT = 0.7; // share of full alert from which pirates count as near
const LOW_HULL = 0.25;
const HOT = 0.9;

export function SectorView({ spec, belt, events, moment, pilot, onSelect }: Props) {
  const [pointed, setPointed] = useState<number | null>(null);
  const effects = useMemo(() => effectsOf(spec, belt, events), [spec, belt, events]);
  const shown = belt.rocks.find((rock) => rock.slot === (pointed ?? belt.selected));
  const shaking = effects.some((effect) => effect.key === "burn" || effect.key === "explosion.ship");
  return (
    <svg className="sector" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(belt)} data-moment={moment}>
      <Background node={belt.node} />
      <g key={shaking ? moment : "still"} className={shaking ? "sector-shaking" : undefined}>
        {belt.nodeType === "station" && <ArtMark name="entity.station" x={CENTER.x} y={CENTER.y} size={92} />}
        <Ranges belt={belt} />
        {belt.rocks.map((rock) => (
          <RockMark key={rock.slot} rock={rock} belt={belt} goods={goodsOf(spec)} onPoint={setPointed} onSelect={onSelect} />
        ))}
        <Ship belt={belt} pilot={pilot} />
        <Effects effects={effects} moment={moment} />
      </g>
      <Dangers belt={belt} events={events} />
      {shown && <RockCaption spec={spec} belt={belt} rock={shown} />}
    </svg>
  );
}

function describe(belt: Belt): string {
  const place = belt.node === 0 ? "At the station" : `At ${nodeName(belt.node)}, a ${belt.nodeType} node`;
  const left = belt.rocks.filter((rock) => !rock.usedUp).length;
  const rocks = belt.node === 0 ? "" : `, ${left} of ${belt.rocks.length} asteroids left`;
  const target = belt.selected >= 0 ? `, asteroid ${belt.selected} selected` : "";
  return `${place}${rocks}${target}.`;
}

const STARS = ["background.starfield.0", "background.starfield.1", "background.starfield.2", "background.starfield.3"] as const;
const TILE = WIDTH / 2;
const TILES = [0, 1, 2, 3].map((i) => ({ x: TILE * ((i % 2) + 0.5), y: TILE * (Math.floor(i / 2) + 0.5) }));
const PLANETS = ["background.planet.0", "background.planet.1", "background.planet.2"] as const;

function Background({ node }: { node: number }) {
  return (
    <g aria-hidden="true">
      <rect className="sector-space" width={WIDTH} height={HEIGHT} />
      {TILES.map(({ x, y }) => (
        <ArtMark key={`${x} ${y}`} name={STARS[node % STARS.length] ?? STARS[0]} x={x} y={y} size={TILE + 0.5} />
      ))}
      <ArtMark name={PLANETS[node % PLANETS.length] ?? PLANETS[0]} x={node % 2 ? 318 : 44} y={node % 2 ? 206 : 56} size={76} opacity={0.45} />
    </g>
  );
}

/** Two faint circles: nearer is better known. */
function Ranges({ belt }: { belt: Belt }) {
  if (belt.rocks.length === 0) return null;
  return (
    <g className="sector-ranges" aria-hidden="true">
      <circle cx={CENTER.x} cy={CENTER.y} r={72} />
      <circle cx={CENTER.x} cy={CENTER.y} r={92} />
    </g>
  );
}

const SHIPS: Record<Pilot, Picture> = { agent: "entity.ship.agent", human: "entity.ship.human" };

function Ship({ belt, pilot }: { belt: Belt; pilot: Pilot }) {
  const docked = belt.nodeType === "station";
  const turn = belt.selected >= 0 ? (slotAngle(belt.selected) * 180) / Math.PI + 90 : docked ? 0 : 90; // pictures look up
  return (
    <>
      {belt.escapeTicks > 0 && <circle className="sector-escape" cx={CENTER.x} cy={CENTER.y} r={22} />}
      <ArtMark name={SHIPS[pilot]} x={CENTER.x} y={docked ? CENTER.y + 66 : CENTER.y} size={docked ? 22 : 28} turn={turn} />
    </>
  );
}

type RockProps = { rock: Rock; belt: Belt; goods: readonly string[]; onPoint: (slot: number | null) => void; onSelect?: (slot: number) => void };

function RockMark({ rock, belt, goods, onPoint, onSelect }: RockProps) {
  const place = rockPlace(rock);
  const size = rockSize(rock.depletion);
  const radius = ROCK_RADIUS[size];
  const label = { x: CENTER.x + Math.cos(slotAngle(rock.slot)) * 114, y: CENTER.y + Math.sin(slotAngle(rock.slot)) * 114 };
  return (
    <g
      className={`rock${rock.usedUp ? " rock-used" : ""}${onSelect && !rock.usedUp ? " rock-pick" : ""}`}
      data-slot={rock.slot}
      onPointerEnter={() => onPoint(rock.slot)}
      onPointerLeave={() => onPoint(null)}
      onClick={() => onSelect?.(rock.slot)}
    >
      <circle cx={place.x} cy={place.y} r={17} fill="transparent" />
      {rock.selected && <circle className="rock-selected" cx={place.x} cy={place.y} r={radius + 6} />}
      {rock.stabilizedTicks > 0 && <circle className="rock-steady" cx={place.x} cy={place.y} r={radius + 3.5} />}
      <RockPicture size={size} x={place.x} y={place.y} turn={(belt.node * 47 + rock.slot * 71) % 360} />
      {!rock.usedUp && <MixRing rock={rock} goods={goods} radius={radius + 1.6} />}
      <text className="rock-label" x={label.x} y={label.y + 3} textAnchor="middle">
        {rock.slot}
      </text>
    </g>
  );
}

/** The drawn rocks shrink within their frame; a pack's pictures fill it, and are made smaller here. */
function RockPicture({ size, x, y, turn }: { size: RockSize; x: number; y: number; turn: number }) {
  const name: Picture = `entity.asteroid.${size}`;
  const drawn = useArt(name) === null;
  return <ArtMark name={name} x={x} y={y} turn={turn} size={drawn ? 2 * ROCK_RADIUS.large : 2 * ROCK_RADIUS[size]} />;
}

/** The estimated mix as a thin ring; the surer the estimate, the stronger the ring. */
function MixRing({ rock, goods, radius }: { rock: Rock; goods: readonly string[]; radius: number }) {
  const place = rockPlace(rock);
  let from = 0;
  return (
    <g opacity={0.15 + 0.85 * rock.confidence} className="rock-mix">
      {goods.map((good, i) => {
        const share = rock.shares[i] ?? 0;
        const path = share > 0.005 ? arc(place, radius, from, from + share) : null;
        from += share;
        return path && <path key={good} d={path} style={{ stroke: `var(--good-${good})` }} />;
      })}
    </g>
  );
}

/** In the lower left corner, where no slot has its place. */
function RockCaption({ spec, belt, rock }: { spec: ProspectorSpec; belt: Belt; rock: Rock }) {
  const best = goodsOf(spec)
    .map((good, i) => ({ good, share: rock.shares[i] ?? 0 }))
    .sort((a, b) => b.share - a.share)
    .slice(0, 2)
    .map(({ good, share }) => `${goodName(good)} ${percent(share)}`);
  const worth = [`${credits(unitValue(rock, belt.goods))} × ${amount(rock.richness)}`, `firm ${percent(rock.stability)}, sure ${percent(rock.confidence)}`];
  const lines = rock.usedUp ? ["used up"] : [...best, ...worth];
  return (
    <g className="sector-caption" aria-hidden="true">
      <text x={8} y={HEIGHT - 8 - lines.length * 11}>
        Asteroid {rock.slot}
      </text>
      {lines.map((line, i) => (
        <text key={line} x={8} y={HEIGHT - 8 - (lines.length - 1 - i) * 11} className="sector-caption-soft">
          {line}
        </text>
      ))}
    </g>
  );
}

function Dangers({ belt, events }: { belt: Belt; events: readonly GameEvent[] }) {
  const alert = gauge(belt, "alert");
  const pirates = alert.value / alert.max >= ALARM_ALERT || events.some((event) => event.name === "pirate_encounter");
  const hazard = belt.nodeType === "hazard";
  const alarm = pirates || gauge(belt, "hull").value / gauge(belt, "hull").max <= LOW_HULL || gauge(belt, "heat").value / gauge(belt, "heat").max >= HOT;
  return (
    <g aria-hidden="true">
      {(hazard || alarm) && <rect className={`sector-warning${alarm ? " sector-alarm" : ""}`} x={1.5} y={1.5} width={WIDTH - 3} height={HEIGHT - 3} rx={6} data-warning={alarm ? "alarm" : "hazard"} />}
      {hazard && (
        <>
          <ArtMark name={belt.nodeHazard >= 0.5 ? "entity.hazard.radiation" : "entity.hazard.meteoroidField"} x={24} y={24} size={28} />
          <text className="sector-note" x={42} y={28}>
            Hazard {percent(belt.nodeHazard)}
          </text>
        </>
      )}
      {pirates && (
        <>
          <ArtMark name="entity.pirate.marker" x={WIDTH - 24} y={24} size={28} />
          <text className="sector-note sector-note-bad" x={WIDTH - 44} y={28} textAnchor="end">
            Pirates near
          </text>
        </>
      )}
    </g>
  );
}
