const LEAST_BAR = 1.5;

export interface BarsProps {
  /** The heights of the bars. `bad` has, at the same index, the part of each count that is bad. */
  readonly counts: readonly number[];
  readonly bad?: readonly number[];
  readonly class: string;
  readonly width: number;
  readonly height: number;
  /** Read by screen readers. They skip bars without a label. */
  readonly label?: string;
}

/** Draws bars in proportion to the highest. A count of 0 is drawn as a line at the bottom. */
export function Bars({ counts, bad, class: name, width, height, label }: BarsProps) {
  const highest = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  const named = label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden from those who would read a title.
    <svg class={name} {...{ width, height }} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" {...named}>
      <path class="none" d={pathOf(counts, (count) => (count === 0 ? LEAST_BAR : 0))} />
      <path d={pathOf(counts, (count) => heightOf(count))} />
      {bad && <path class="bad" d={pathOf(bad, heightOf)} />}
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
        return high === 0 ? '' : `M${round(index * step)} ${height}v${-round(high)}h${round(step - 1)}v${round(high)}z`;
      })
      .join('');
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
