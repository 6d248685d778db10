import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

interface Series<P> {
  readonly label: string;
  /** The name of a custom CSS property: `--good`. */
  readonly colour: string;
  /** Returns the value at a point; null if there is none. */
  of(point: P): number | null;
}

export interface Plot<P> {
  readonly title: string;
  /** Bars are stacked, the first series at the bottom. Areas and lines are not. */
  readonly kind: 'bars' | 'area' | 'lines';
  readonly series: readonly Series<P>[];
  format(value: number): string;
}

export interface ChartProps<P> {
  readonly plot: Plot<P>;
  readonly points: readonly P[];
  /** Formats the label of a time on the axis. */
  formatTick(ms: number): string;
  /** Formats the time under the pointer. */
  formatTime(ms: number): string;
}

interface Point {
  /** The time in ISO 8601. */
  readonly at: string;
}

const HEIGHT = 150;
/** An axis with a single time extends this many seconds before and after it. */
const ALONE_S = 30 * 60;
/** The axis uses whole numbers, because a fraction would be labelled as the whole number next to it. */
const STEPS = Array.from({ length: 30 }, (_, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3));
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Draws numbers over time. The numbers at the pointer are shown above; a screen reader gets the highest of each series. */
export function Chart<P extends Point>(props: ChartProps<P>) {
  const { plot, points, formatTime } = props;
  const { title, series, format } = plot;
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [isDark, setDark] = useState(dark.matches);
  const drawn = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const change = (): void => setDark(dark.matches);
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, []);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const chart = new uPlot(optionsFor(latest, element.clientWidth, setAt), dataOf(latest.current), element);
    drawn.current = chart;
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [isDark, plot]);
  useEffect(() => drawn.current?.setData(dataOf(latest.current)), [points]);

  const shown = points[at ?? points.length - 1];
  const highest = series.map(
    (each) => `${each.label}: at most ${format(Math.max(0, ...points.map((point) => each.of(point) ?? 0)))}`,
  );
  return (
    <figure>
      <figcaption class="line apart">
        <h3>{title}</h3>
        <p class="readout note line">
          {series.map(({ label, colour, of }) => (
            <span key={label} class="of" style={{ '--hue': `var(${colour})` }}>
              {label} <b>{formatOr(format, shown && of(shown))}</b>
            </span>
          ))}
          <time>{shown && (at === null ? 'now' : formatTime(Date.parse(shown.at)))}</time>
        </p>
      </figcaption>
      <div class="plot" ref={host} role="img" aria-label={`${title}. ${highest.join(', ')}.`} />
    </figure>
  );
}

const formatOr = (format: (value: number) => string, value: number | null | undefined): string =>
  value == null ? '–' : format(value);

/** Converts the data to the form that uPlot takes. A stacked series includes those below it and is drawn before them. */
function dataOf<P extends Point>({ points, plot: { series, kind } }: ChartProps<P>): uPlot.AlignedData {
  const seconds = points.map(({ at }) => Date.parse(at) / 1000);
  if (kind !== 'bars') return [seconds, ...series.map(({ of }) => points.map(of))];
  const stacked = series.map((_, index) =>
    points.map((point) => series.slice(0, index + 1).reduce((sum, { of }) => sum + (of(point) ?? 0), 0)),
  );
  return [seconds, ...stacked.reverse()];
}

/** Finds the points without neighbours. No line leads to them, so they are visible only if they are drawn as points. */
function alone({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);
}

/** Returns the value of a custom CSS property. */
const styleOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axesOf<P>(latest: { readonly current: ChartProps<P> }): uPlot.Axis[] {
  const axis: uPlot.Axis = {
    stroke: styleOf('--muted'),
    font: `11px ${styleOf('--sans')}`,
    grid: { stroke: styleOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const { format } = latest.current.plot;
  const values = (_: uPlot, ticks: number[]) => ticks.map((tick) => latest.current.formatTick(tick * 1000));
  return [
    { ...axis, grid: { show: false }, size: 26, space: 70, values },
    {
      ...{ ...axis, size: 58, space: 32, incrs: STEPS },
      values: (_, ticks) => ticks.map((tick) => (tick === 0 ? '0' : format(tick))),
    },
  ];
}

function seriesOf<P>({ kind, series }: Plot<P>): uPlot.Series[] {
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], align: 1 });
  const drawn = kind === 'bars' ? [...series].reverse() : series;
  return drawn.map(({ colour }) => {
    const stroke = styleOf(colour);
    if (kind === 'bars')
      return { stroke, width: 0, fill: stroke, points: { show: false }, ...(bars !== undefined && { paths: bars }) };
    const fill = kind === 'area' ? { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` } : {};
    return { stroke, width: 1.5, ...fill, points: { size: 6, fill: stroke, filter: alone } };
  });
}

const optionsFor = <P,>(
  latest: { readonly current: ChartProps<P> },
  width: number,
  onPoint: (index: number | null) => void,
): uPlot.Options => ({
  width,
  height: HEIGHT,
  legend: { show: false },
  padding: [8, 20, 0, 0],
  cursor: {
    ...{ y: false, drag: { x: false, y: false, setScale: false } },
    points: { show: latest.current.plot.kind !== 'bars' },
  },
  hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  scales: {
    // With a single time the axis would span days.
    x: {
      range: ({ data: [times] }, first, last) =>
        times.length === 1 ? [first - ALONE_S, first + ALONE_S] : [first, last],
    },
    y: { range: (_, __, highest) => [0, Math.max(1, (highest ?? 0) * 1.1)] },
  },
  axes: axesOf(latest),
  series: [{}, ...seriesOf(latest.current.plot)],
});
