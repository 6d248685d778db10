const LEAST_BAR = 1.5;

/** Bars of one colour. */
interface Layer {
  readonly counts: readonly number[];
  /** @default the colour of the chart */
  readonly colour?: string;
}

interface BarsProps {
  /** The bars of later layers are drawn over those of earlier ones. */
  readonly layers: readonly Layer[];
  /** The count whose bar is as high as the chart. @default the highest of the first layer */
  readonly top?: number;
  readonly class: string;
  readonly width: number;
  readonly height: number;
  /** Read by screen readers. They skip bars without a label. */
  readonly label?: string;
}

/** Draws each count as a bar. A count of 0 in the first layer is drawn as a line at the bottom. */
export function Bars({ layers, top, class: name, width, height, label }: BarsProps) {
  const first = layers[0]?.counts ?? [];
  const highest = top ?? Math.max(1, ...first);
  const step = width / Math.max(1, first.length);
  const named = label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden from those who would read a title.
    <svg class={name} {...{ width, height }} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" {...named}>
      <path class="none" d={pathOf(first, (count) => (count === 0 ? LEAST_BAR : 0))} />
      {layers.map(({ counts, colour }, index) => (
        <path key={index} fill={colour} d={pathOf(counts, heightOf)} />
      ))}
    </svg>
  );

  function heightOf(count: number): number {
    return count === 0 ? 0 : Math.max(2 * LEAST_BAR, (count / highest) * height);
  }

  /** Draws all bars of a kind as one path, because a table of 50 rows has 3,000 bars. */
  function pathOf(numbers: readonly number[], heightFor: (count: number) => number): string {
    return numbers
      .map((count, index) => {
        const high = heightFor(count);
        const wide = Math.max(step - 1, 0.7 * step);
        return high === 0 ? '' : `M${round(index * step)} ${height}v${-round(high)}h${round(wide)}v${round(high)}z`;
      })
      .join('');
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
