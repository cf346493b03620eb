// Panels for a decision: neighbouring nodes, asteroids here, the market, and recent events.
import { useState } from "react";
import { Spark } from "../../../parts/chart/Spark";
import { goodsOf, unitValue, type Belt, type Rock, type Way } from "../../../parts/prospector/belt";
import { EventLog } from "../../../parts/prospector/EventLog";
import { threatLevel } from "../../../parts/prospector/geometry";
import { Direction, GoodName } from "../../../parts/prospector/Market";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { amount, goodName, percent, signed } from "../../../parts/prospector/words";
import { Badge, Tabs } from "../../../parts/ui";
import type { View } from "./game";

type Props = { spec: ProspectorSpec; view: View; onSelect: (slot: number) => void };
type Tab = "ways" | "rocks" | "market" | "log";

export function Panels({ spec, view, onSelect }: Props) {
  const [chosen, setChosen] = useState<Tab>("ways");
  const tabs = [
    { key: "ways", label: "Ways" },
    { key: "rocks", label: `Asteroids ${view.belt.rocks.length || ""}` },
    { key: "market", label: "Market" },
    { key: "log", label: "Log" },
  ] as const;
  return (
    <section className="panel pr-panels" aria-label="What there is to weigh">
      <Tabs label="What there is to weigh" tabs={tabs} chosen={chosen} onChoose={setChosen}>
        {chosen === "ways" && <Ways belt={view.belt} />}
        {chosen === "rocks" && <Rocks spec={spec} belt={view.belt} onSelect={onSelect} />}
        {chosen === "market" && <Prices view={view} />}
        {chosen === "log" && <EventLog spec={spec} events={view.log} />}
      </Tabs>
    </section>
  );
}

const THREATS = { low: "good", middle: "warn", high: "bad" } as const;

function Ways({ belt }: { belt: Belt }) {
  return (
    <ul className="pr-cards" data-part="ways" tabIndex={0} aria-label="Ways out of this node">
      {belt.ways.map((way) => (
        <WayCard key={way.slot} way={way} />
      ))}
    </ul>
  );
}

function WayCard({ way }: { way: Way }) {
  return (
    <li className="pr-card" data-way={way.slot}>
      <div className="row">
        <kbd>{way.slot + 1}</kbd>
        <strong>{way.type === "station" ? "Station" : `Node ${way.node}, ${way.type}`}</strong>
        {way.home && <Badge tone="accent">home</Badge>}
        {!way.visited && <Badge>new</Badge>}
      </div>
      <div className="row small soft">
        <span className="numbers">{way.ticks === 1 ? "1 tick" : `${way.ticks} ticks`}</span>
        <span className="numbers" title="with the present load">
          {amount(way.fuel)} fuel
        </span>
        <Badge tone={THREATS[threatLevel(way.threat)]} title="Estimated; listen to know better">
          threat {percent(way.threat)}
        </Badge>
      </div>
    </li>
  );
}

type RocksProps = { spec: ProspectorSpec; belt: Belt; onSelect: (slot: number) => void };

/** A table, because rocks are compared with each other. */
function Rocks({ spec, belt, onSelect }: RocksProps) {
  if (belt.node === 0) return <p className="soft small">No asteroids at the station: fly out to find some.</p>;
  return (
    <div className="table-scroll pr-scroll" tabIndex={0} role="region" aria-label="Asteroids of this node">
      <table className="table pr-rocks" data-part="rocks">
        <caption className="unseen">Asteroids of this node, by estimate</caption>
        <thead>
          <tr>
            <th scope="col">Rock</th>
            <th scope="col">Mix</th>
            {ROCK_COLUMNS.map(({ title, text }) => (
              <th key={title} scope="col" className="numbers" title={text}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {belt.rocks.map((rock) => (
            <RockRow key={rock.slot} rock={rock} belt={belt} goods={goodsOf(spec)} onSelect={onSelect} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ROCK_COLUMNS: readonly { title: string; text: string; cell: (rock: Rock, belt: Belt) => string }[] = [
  { title: "Worth", text: "Credits a unit, at present prices", cell: (rock, belt) => amount(unitValue(rock, belt.goods)) },
  { title: "Rich", text: "How much it yields a tick", cell: (rock) => amount(rock.richness) },
  { title: "Firm", text: "Stability: how hard it is to break", cell: (rock) => percent(rock.stability) },
  { title: "Mined", text: "Depletion: how far it is used up", cell: (rock) => percent(rock.depletion) },
  { title: "Sure", text: "Confidence of these estimates", cell: (rock) => percent(rock.confidence) },
];

type RowProps = { rock: Rock; belt: Belt; goods: readonly string[]; onSelect: (slot: number) => void };

function RockRow({ rock, belt, goods, onSelect }: RowProps) {
  return (
    <tr data-rock={rock.slot} className={rock.selected ? "pr-rocks-selected" : rock.usedUp ? "faint" : undefined}>
      <th scope="row">
        <button type="button" className="pr-pick" aria-pressed={rock.selected} onClick={() => onSelect(rock.slot)}>
          <span className="unseen">Select asteroid </span>
          {rock.slot}
        </button>
        {rock.stabilizedTicks > 0 && <Badge tone="good">steady {rock.stabilizedTicks}</Badge>}
      </th>
      {rock.usedUp ? (
        <td colSpan={1 + ROCK_COLUMNS.length}>used up</td>
      ) : (
        <>
          <td>
            <MixBar rock={rock} goods={goods} />
          </td>
          {ROCK_COLUMNS.map(({ title, cell }) => (
            <td key={title} className="numbers">
              {cell(rock, belt)}
            </td>
          ))}
        </>
      )}
    </tr>
  );
}

function MixBar({ rock, goods }: { rock: Rock; goods: readonly string[] }) {
  const mix = goods.map((good, i) => `${goodName(good)} ${percent(rock.shares[i] ?? 0)}`).join(", ");
  return (
    <div className="pr-mixbar" role="img" aria-label={`Estimated mix: ${mix}`} title={mix}>
      {goods.map((good, i) => (
        <span key={good} style={{ flexGrow: rock.shares[i] ?? 0, background: `var(--good-${good})` }} />
      ))}
    </div>
  );
}

function Prices({ view }: { view: View }) {
  return (
    <ul className="pr-cards" data-part="prices" tabIndex={0} aria-label="Prices">
      {view.belt.goods.map((good, i) => (
        <li className="pr-card pr-price" key={good.name} data-good={good.name}>
          <strong>
            <GoodName name={good.name} />
          </strong>
          <span className="numbers" data-cell="price">
            {amount(good.price)} cr
          </span>
          <span className="numbers small">
            <Direction change={good.change} />
            {signed(good.change)}
          </span>
          <span className="pr-price-line">
            <Spark values={view.prices.map((prices) => prices[i] ?? 0)} label={`Price of ${goodName(good.name)} lately`} width={76} />
          </span>
          <span className="small soft pr-price-more">
            {percent(good.base > 0 ? good.price / good.base : 0)} of base · stock {amount(good.stock)} · aboard {amount(good.units)}
          </span>
        </li>
      ))}
    </ul>
  );
}
