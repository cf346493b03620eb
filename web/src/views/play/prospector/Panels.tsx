// What a pilot weighs before acting: the ways out, the asteroids here, the market, and what happened.
import { useState } from "react";
import { Spark } from "../../../parts/chart/Spark";
import { goodsOf, unitValue, type Belt, type Rock, type Way } from "../../../parts/prospector/belt";
import { EventLog } from "../../../parts/prospector/EventLog";
import { threatLevel } from "../../../parts/prospector/geometry";
import { Direction, GoodName } from "../../../parts/prospector/Market";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { amount, credits, goodName, percent, signed } from "../../../parts/prospector/words";
import { Badge, Tabs } from "../../../parts/ui";
import type { View } from "./game";

type Props = { spec: ProspectorSpec; view: View };
type Tab = "ways" | "rocks" | "market" | "log";

export function Panels({ spec, view }: Props) {
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
        {chosen === "rocks" && <Rocks spec={spec} belt={view.belt} />}
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

function Rocks({ spec, belt }: { spec: ProspectorSpec; belt: Belt }) {
  if (belt.node === 0) return <p className="soft small">No asteroids at the station: fly out to find some.</p>;
  return (
    <ul className="pr-cards" data-part="rocks" tabIndex={0} aria-label="Asteroids of this node">
      {belt.rocks.map((rock) => (
        <RockCard key={rock.slot} rock={rock} belt={belt} goods={goodsOf(spec)} />
      ))}
    </ul>
  );
}

function RockCard({ rock, belt, goods }: { rock: Rock; belt: Belt; goods: readonly string[] }) {
  return (
    <li className={`pr-card${rock.usedUp ? " pr-card-off" : ""}`} data-rock={rock.slot}>
      <div className="row">
        <strong>Asteroid {rock.slot}</strong>
        {rock.selected && <Badge tone="accent">selected</Badge>}
        {rock.stabilizedTicks > 0 && <Badge tone="good">steady {rock.stabilizedTicks} ticks</Badge>}
        {rock.usedUp && <Badge>used up</Badge>}
      </div>
      {!rock.usedUp && (
        <>
          <MixBar rock={rock} goods={goods} />
          <div className="row small soft numbers">
            <span>{credits(unitValue(rock, belt.goods))} a unit</span>
            <span>richness {amount(rock.richness)}</span>
            <span>stability {percent(rock.stability)}</span>
            <span>depleted {percent(rock.depletion)}</span>
            <span>sure {percent(rock.confidence)}</span>
          </div>
        </>
      )}
    </li>
  );
}

function MixBar({ rock, goods }: { rock: Rock; goods: readonly string[] }) {
  const told = goods.map((good, i) => `${goodName(good)} ${percent(rock.shares[i] ?? 0)}`).join(", ");
  return (
    <div className="pr-mixbar" role="img" aria-label={`Estimated mix: ${told}`} title={told}>
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
          <div className="row">
            <strong>
              <GoodName name={good.name} />
            </strong>
            <span className="push numbers" data-cell="price">
              {amount(good.price)} cr
            </span>
          </div>
          <div className="row small soft numbers">
            <span>
              <Direction change={good.change} />
              {signed(good.change)}
            </span>
            <span>{percent(good.base > 0 ? good.price / good.base : 0)} of base</span>
            <span>stock {amount(good.stock)}</span>
            <span>aboard {amount(good.units)}</span>
            <span className="push">
              <Spark values={view.prices.map((prices) => prices[i] ?? 0)} label={`Price of ${goodName(good.name)} lately`} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
