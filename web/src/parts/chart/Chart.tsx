// Lines over a shared x axis, by uPlot: axes with units, values under the pointer, several series, both themes.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { themeColour, useTheme } from "../../style/theme";
import { shortNumber, tickNumber } from "./numbers";

export type Series = {
  name: string;
  values: readonly (number | null | undefined)[]; // as many as xs; null is a gap, undefined an x of another series
  colour?: string; // a token of tokens.css, by default --series-1 … in order
  dash?: readonly number[];
  points?: boolean; // by default where there are few
};

type Props = {
  title: string;
  xs: readonly number[];
  series: readonly Series[];
  xLabel?: string;
  yLabel?: string; // with its unit
  height?: number;
  format?: (value: number) => string;
  yRange?: readonly [number, number];
  syncKey?: string; // charts with the same key share the pointer
  onPick?: (x: number, index: number) => void; // a click on the plot
};

const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 3]];
const COLOURS = 6;
const MOST_DOTS = 40; // with more of them a line says it better

/** As uPlot chooses it, except for a line that stays at one value: that gets a range near it, not one up to 100. */
export function rangeOf(_: unknown, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low !== high) return uPlot.rangeNum(low, high, 0.1, true) as [number, number];
  return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, low + Math.abs(low) / 2];
}

export function Chart(props: Props) {
  const { title, xs, series, xLabel = "env steps", yLabel, height = 220, format = shortNumber, yRange, syncKey } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const onPick = useRef(props.onPick);
  const theme = useTheme();
  const id = useId();
  const [index, setIndex] = useState<number | null>(null);
  const [zoomed, setZoomed] = useState(false);
  useEffect(() => {
    onPick.current = props.onPick;
  });

  const data = useMemo(() => [xs, ...series.map((each) => each.values)] as unknown as uPlot.AlignedData, [xs, series]);
  const dataNow = useRef(data);
  // A new plot only when its make-up changes; new numbers go into the old one, so that zoom and pointer survive.
  const makeUp = JSON.stringify([series.map(({ name, colour, dash, points }) => [name, colour, dash, points]), xLabel, yLabel, height, yRange, syncKey, theme]);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const chart = new uPlot(options(element.clientWidth), dataNow.current, element);
    plot.current = chart;
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [makeUp]);

  useEffect(() => {
    const old = dataNow.current;
    dataNow.current = data;
    const chart = plot.current;
    if (!chart || old === data) return; // just made, with these very numbers
    const zoomed = isZoomed(chart);
    chart.setData(data, !zoomed);
    if (zoomed) chart.redraw();
  }, [data]);

  function options(width: number): uPlot.Options {
    const ink = themeColour("ink-soft");
    const line = themeColour("line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui" };
    return {
      width,
      height,
      legend: { show: false },
      scales: { x: { time: false }, y: { range: yRange ? [yRange[0], yRange[1]] : rangeOf } },
      cursor: { sync: syncKey ? { key: syncKey } : undefined, drag: { x: true, y: false }, points: { size: 7 } },
      axes: [
        { ...axis, label: xLabel, labelSize: 18, labelFont: "12px system-ui", size: 30, values: (_, ticks) => ticks.map(shortNumber) },
        {
          ...axis,
          label: yLabel,
          labelSize: 18,
          labelFont: "12px system-ui",
          size: 56,
          values: (_, ticks, __, ___, step) => ticks.map((tick) => (format === shortNumber ? tickNumber(tick, step) : format(tick))),
        },
      ],
      series: [
        { label: xLabel },
        ...series.map((each, at) => ({
          label: each.name,
          stroke: themeColour(each.colour ?? `series-${(at % COLOURS) + 1}`),
          width: 2,
          dash: [...(each.dash ?? DASHES[Math.floor(at / COLOURS) % DASHES.length] ?? [])],
          points: { show: each.points ?? ((plot: uPlot) => plot.data[0].length <= MOST_DOTS), size: 5 },
          spanGaps: false,
        })),
      ],
      hooks: {
        setCursor: [(chart) => setIndex(chart.cursor.idx ?? null)],
        setScale: [(chart, scale) => scale === "x" && setZoomed(isZoomed(chart))],
        ready: [
          (chart) =>
            chart.over.addEventListener("click", () => {
              const at = chart.cursor.idx;
              const x = at == null ? undefined : chart.data[0][at];
              if (x !== undefined && at != null) onPick.current?.(x, at);
            }),
        ],
      },
    };
  }

  const empty = xs.length === 0 || series.every((each) => each.values.every((value) => value == null));
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      {zoomed && (
        <button type="button" className="chart-reset" onClick={() => plot.current?.setData(dataNow.current)}>
          See all
        </button>
      )}
      <Legend series={series} xs={xs} index={index} xLabel={xLabel} format={format} />
      <div ref={holder} className="chart-plot" style={{ minHeight: height }} hidden={empty} role="img" aria-label={summary(title, series, format)} />
      {empty && <p className="chart-empty soft">No data for this yet.</p>}
    </figure>
  );
}

function isZoomed(chart: uPlot): boolean {
  const { min, max } = chart.scales.x ?? {};
  const xs = chart.data[0];
  if (min == null || max == null) return false; // not laid out yet
  return xs.length > 1 && (min !== xs[0] || max !== xs[xs.length - 1]);
}

type LegendProps = { series: readonly Series[]; xs: readonly number[]; index: number | null; xLabel: string; format: (value: number) => string };

/** Names and the value under the pointer, or the newest. */
function Legend({ series, xs, index, xLabel, format }: LegendProps) {
  const at = index ?? xs.length - 1;
  const x = xs[at];
  return (
    <ul className="chart-legend">
      {series.map((each, i) => (
        <li key={each.name}>
          <i style={{ background: swatch(each.colour ?? `series-${(i % COLOURS) + 1}`, each.dash) }} />
          {each.name} <span className="numbers">{show(valueAt(each.values, at), format)}</span>
        </li>
      ))}
      {x !== undefined && (
        <li className="faint">
          at <span className="numbers">{shortNumber(x)}</span> {xLabel}
        </li>
      )}
    </ul>
  );
}

/** A line as short as a dash or two, in its colour. */
function swatch(token: string, dash: readonly number[] = []): string {
  const [line, gap] = dash;
  if (!line || !gap) return `var(--${token})`;
  return `repeating-linear-gradient(90deg, var(--${token}) 0 ${line}px, transparent ${line}px ${line + gap}px)`;
}

/** The value there, or where a series has no point at all (undefined) its nearest before. */
function valueAt(values: Series["values"], at: number): number | null | undefined {
  let place = at;
  while (place > 0 && values[place] === undefined) place--;
  return values[place];
}

function show(value: number | null | undefined, format: (value: number) => string): string {
  return value === undefined ? "–" : value === null ? "missing" : format(value);
}

function summary(title: string, series: readonly Series[], format: (value: number) => string): string {
  const ends = series.map((each) => `${each.name} ends at ${show(valueAt(each.values, each.values.length - 1), format)}`);
  return `${title}: ${ends.join(", ")}`;
}
