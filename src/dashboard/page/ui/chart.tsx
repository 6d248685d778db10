import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

export interface Series {
  readonly label: string;
  /** A custom property of the style: `--good`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** When each point is, in ms since 1970. */
  readonly times: readonly number[];
  /** Bars stand on each other, the first at the bottom; areas and lines do not. */
  readonly kind: 'bars' | 'area' | 'lines';
  readonly series: readonly Series[];
  format(value: number): string;
  /** The label of a time on the axis. */
  formatTick(ms: number): string;
  /** The whole of a time, under the pointer. */
  formatTime(ms: number): string;
}

const HEIGHT = 150;
/** Whole numbers alone: what is between two of them would read as one of them. */
const STEPS = Array.from({ length: 30 }, (_, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3));
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Numbers over time. What the pointer is at stands in words above; a screen reader gets the last and the highest. */
export function Chart(props: ChartProps) {
  const { title, times, series, format, formatTime } = props;
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [isDark, setDark] = useState(dark.matches);
  const plot = useRef<uPlot | undefined>(undefined);
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
    const drawn = new uPlot(optionsFor(latest, element.clientWidth, setAt), dataOf(latest.current), element);
    plot.current = drawn;
    const resized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      drawn.destroy();
    };
  }, [isDark, series.length]);
  useEffect(() => plot.current?.setData(dataOf(latest.current)), [times, series]);

  const index = at ?? times.length - 1;
  const sum = (values: Series['values']): string => format(Math.max(0, ...values.map((value) => value ?? 0)));
  const summary = series.map(({ label, values }) => `${label}: at most ${sum(values)}`).join(', ');
  return (
    <figure class="chart-box">
      <figcaption>
        <h3>{title}</h3>
        <p class="readout">
          {series.map(({ label, colour, values }) => (
            <span key={label} class="of" style={{ '--hue': `var(${colour})` }}>
              {label} <b>{values[index] == null ? '–' : format(values[index])}</b>
            </span>
          ))}
          <time>{times[index] === undefined ? '' : at === null ? 'now' : formatTime(times[index])}</time>
        </p>
      </figcaption>
      <div class="plot" ref={host} role="img" aria-label={`${title}. ${summary}.`} />
    </figure>
  );
}

/** Stacked, each series holds those below it too, and is drawn before them. */
function dataOf({ times, series, kind }: ChartProps): uPlot.AlignedData {
  const seconds = times.map((ms) => ms / 1000);
  if (kind !== 'bars') return [seconds, ...series.map(({ values }) => [...values])];
  const stacked = series.map((_, index) =>
    times.map((__, at) => series.slice(0, index + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
  return [seconds, ...stacked.reverse()];
}

function optionsFor(
  latest: { readonly current: ChartProps },
  width: number,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const { kind, series } = latest.current;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], align: 1 });
  const drawn = kind === 'bars' ? [...series].reverse() : series;
  const axis: uPlot.Axis = {
    stroke: colour('--muted'),
    font: `11px ${colour('--sans')}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: kind !== 'bars' } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_, __, highest) => [0, Math.max(1, (highest ?? 0) * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 70,
        values: (_, ticks) => ticks.map((tick) => latest.current.formatTick(tick * 1000)),
      },
      {
        ...axis,
        size: 58,
        space: 32,
        incrs: STEPS,
        values: (_, ticks) => ticks.map((tick) => latest.current.format(tick)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ colour: name }) => ({
        stroke: colour(name),
        width: kind === 'bars' ? 0 : 1.5,
        ...(kind !== 'lines' && {
          fill: kind === 'bars' ? colour(name) : `color-mix(in srgb, ${colour(name)} 14%, transparent)`,
        }),
        ...(kind === 'bars' && bars !== undefined && { paths: bars }),
        points: { show: false },
      })),
    ],
  };
}
