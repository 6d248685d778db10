import { useState } from 'preact/hooks';
import { Bars } from './bars.js';

interface Series<P> {
  readonly label: string;
  /** The name of a custom CSS property: `--good`. */
  readonly colour: string;
  /** Returns the value at a point; null if there is none. */
  of(point: P): number | null;
}

export interface Plot<P> {
  readonly title: string;
  /** Bars are stacked, the first series at the bottom. Lines are not. */
  readonly kind: 'bars' | 'lines';
  readonly series: readonly Series<P>[];
  format(value: number): string;
}

interface ChartProps<P> {
  readonly plot: Plot<P>;
  /** The points, at equal distances in time. */
  readonly points: readonly P[];
  /** Formats the label of a time on the axis. */
  formatTick(ms: number): string;
  /** Formats the time under the pointer. */
  formatTime(ms: number): string;
}

type Values = readonly (number | null)[];

/** The width and height in the units of the drawing, which is stretched to the space that it has. */
const [WIDTH, HEIGHT] = [600, 150];
const MOST_TICKS = 4;
/** The axis uses whole numbers, because a fraction would be labelled as the whole number next to it. */
const STEPS = Array.from({ length: 30 }, (_, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3));
/** The places of the labelled times, as shares of the width. */
const SHARES = [0, 1 / 3, 2 / 3, 1];

/** Draws numbers over time. The numbers at the pointer are shown above; a screen reader gets the highest of each series. */
export function Chart<P extends { readonly at: string }>({ plot, points, formatTick, formatTime }: ChartProps<P>) {
  const { title, kind, series, format } = plot;
  const [at, setAt] = useState<number | undefined>(undefined);
  const values = series.map(({ of }) => points.map(of));
  const drawn = kind === 'bars' ? stacked(values) : values;
  const highest = (of: readonly Values[]): number => Math.max(0, ...of.flat().map((value) => value ?? 0));
  const step = STEPS.find((each) => highest(drawn) <= MOST_TICKS * each) ?? 1;
  const ticks = Array.from({ length: Math.max(1, Math.ceil(highest(drawn) / step)) + 1 }, (_, index) => index * step);
  const top = ticks.at(-1) ?? 1;
  const colourOf = (index: number): string => `var(${series[index]?.colour})`;
  const shown = points[at ?? points.length - 1];
  const textOf = (value: number | null | undefined): string => (value == null ? '–' : format(value));
  const spoken = series.map(({ label }, index) => `${label}: at most ${format(highest([values[index] ?? []]))}`);
  const times = [...new Set(SHARES.map((share) => Math.round(share * (points.length - 1))))];
  const point = ({ clientX, currentTarget }: PointerEvent): void => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    setAt(Math.min(points.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * points.length))));
  };
  return (
    <figure>
      <figcaption class="line apart">
        <h3>{title}</h3>
        <p class="readout note line">
          {series.map(({ label, of }, index) => (
            <span key={label} class="of" style={{ '--hue': colourOf(index) }}>
              {label} <b>{textOf(shown && of(shown))}</b>
            </span>
          ))}
          <time>{shown && (at === undefined ? 'now' : formatTime(Date.parse(shown.at)))}</time>
        </p>
      </figcaption>
      <div
        class="plot"
        role="img"
        aria-label={`${title}. ${spoken.join(', ')}.`}
        onPointerMove={point}
        onPointerLeave={() => setAt(undefined)}
      >
        {ticks.map((tick) => (
          <p key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
            <span>{tick === 0 ? '0' : format(tick)}</span>
          </p>
        ))}
        {kind === 'bars' ? (
          <Bars
            class="bars"
            layers={drawn.map((counts, index) => ({ counts: counts.map(Number), colour: colourOf(index) })).reverse()}
            {...{ top, width: WIDTH, height: HEIGHT }}
          />
        ) : (
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {drawn.map((each, index) => (
              <path key={index} stroke={colourOf(index)} d={lineOf(each, top)} />
            ))}
          </svg>
        )}
        {at !== undefined && <i style={{ left: `${((at + 0.5) / points.length) * 100}%` }} />}
      </div>
      <p class="bar apart axis">
        {times.map((index) => (
          <span key={index}>{points[index] && formatTick(Date.parse(points[index].at))}</span>
        ))}
      </p>
    </figure>
  );
}

/** Adds to each series those below it. */
const stacked = (series: readonly Values[]): readonly Values[] =>
  series.map((values, index) =>
    values.map((_, at) => series.slice(0, index + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0)),
  );

/** Draws a line through the values. A value without neighbours is a line without length, whose round ends look like a dot. */
const lineOf = (values: Values, top: number): string =>
  values
    .map((value, index) => {
      if (value === null) return '';
      const place = `${((index + 0.5) / values.length) * WIDTH} ${HEIGHT - (value / top) * HEIGHT}`;
      return values[index - 1] == null ? `M${place}h0` : `L${place}`;
    })
    .join('');
