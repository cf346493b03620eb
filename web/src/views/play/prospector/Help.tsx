// Help: meanings and keys.
import { useState } from "react";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { phrase } from "../../../parts/prospector/words";
import { Dialog, Tabs } from "../../../parts/ui";
import { DIRECT } from "./keys";

type Tab = "trip" | "words" | "keys";

const TABS = [
  { key: "trip", label: "How to play" },
  { key: "words", label: "Glossary" },
  { key: "keys", label: "Keys" },
] as const;

export function Help({ spec, open, onClose }: { spec: ProspectorSpec; open: boolean; onClose: () => void }) {
  const [chosen, setChosen] = useState<Tab>("trip");
  return (
    <Dialog open={open} title="Help" onClose={onClose}>
      <Tabs label="Help" tabs={TABS} chosen={chosen} onChoose={setChosen}>
        {chosen === "trip" && <HowTo />}
        {chosen === "words" && <Glossary />}
        {chosen === "keys" && <Keys spec={spec} />}
      </Tabs>
    </Dialog>
  );
}

function HowTo() {
  return (
    <ol className="pr-howto">
      <li>Fly to a field next door: low fuel, low threat.</li>
      <li>Scan. Rings around the rocks show what they are thought to hold; nearer rocks are better known.</li>
      <li>Select a rock and mine it. Watch heat and tool, and leave it before it breaks up.</li>
      <li>Fly home with the load, sell what stands well, refuel, repair.</li>
      <li>Go further out when you can: rich ore lies far away and at hazard nodes.</li>
      <li>Cash out at the station. Only credits count; unsold cargo is worth nothing.</li>
    </ol>
  );
}

const WORDS: readonly (readonly [string, string])[] = [
  ["Tick", "A unit of time. Actions last one to eight; the time budget is counted in them."],
  ["Net profit", "Credits now less credits at the start: your score."],
  ["Alert", "How well pirates know of you. Mining, scans and hazards raise it; drifting, lying low in port and jettison lower it."],
  ["Heat", "Mining and refining add it, time takes it away. Above the knee (60) yield falls and rocks break; above 100 the hull suffers."],
  ["Tool", "Worn by mining. A worn tool mines less and breaks rocks more easily."],
  ["Confidence", "How sure the estimates of a rock are. Scans raise it: wide a little for all, deep much for one."],
  ["Stability", "How firmly a rock holds together. Weak, hot or nearly empty rocks break up and hurt the hull."],
  ["Depletion", "How far a rock is mined out. The emptier, the less it yields and the sooner it breaks."],
  ["Richness", "How much a rock yields a tick. Scans estimate it; far nodes and hazard nodes are richer."],
  ["Threat", "How dangerous a way is, as far as you know: 50 % until you listen."],
  ["Hazard node", "Damages, heats and betrays you every tick, and holds richer ore."],
  ["Slippage", "What you lose because your own sale presses the price."],
  ["Base price", "Where a price swings around. Above it is a good time to sell."],
  ["Stabilizer", "Spent on a rock, it makes it break less easily for a while."],
  ["Decoy", "Works by itself: pirates chase it instead, most of the time."],
  ["Repair kit", "Mends tool or hull anywhere; an overhaul at the station mends both."],
  ["Lie low", "What docking does: alert falls, once per arrival. Trade needs no docking."],
  ["Emergency burn", "Burns fuel to shake off pirates for the next few ticks."],
  ["Stranded", "No fuel for any way out of a field: the game is lost."],
];

function Glossary() {
  return (
    <dl className="pr-glossary">
      {WORDS.map(([word, text]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Keys({ spec }: { spec: ProspectorSpec }) {
  const named = Object.entries(DIRECT).filter(([, action]) => spec.actions.some((each) => each.name === action));
  const rows: readonly (readonly [string, string])[] = [
    ["1 … 6", "Travel by that way"],
    ["← → ↑ ↓", "Select the asteroid before or after"],
    ...named.map(([key, action]) => [key.toUpperCase(), phrase(action).label] as const),
    ["J 1 … 6", "Jettison a commodity, in the market's order"],
    ["L 1 … 6", "Sell all of a commodity; L L half of it, L L L a quarter"],
    ["F 1 … 3", "Buy a little, some or much fuel"],
    ["Space", "Repeat the last action"],
    ["A", "Begin or end auto-run"],
    ["Esc", "Stop auto-run; forget a first key"],
    ["?", "This help"],
  ];
  return (
    <dl className="pr-keys">
      {rows.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
