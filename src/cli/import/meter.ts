import { formatCount } from '../../base/text/plural.js';
import { showProgress } from '../terminal/progress-bar.js';
import { columns, type Terminal } from '../terminal/terminal.js';

/** The progress of an import. */
export interface Measure {
  /** Rows that have ended in this run. */
  readonly rows: number;
  readonly rejected: number;
  /** The bytes, as on disk, that earlier runs finished, and the bytes up to the last row that ended in this run. */
  readonly skippedBytes: number;
  readonly bytes: number;
  /** The bytes of all files; undefined if standard input or a pipe is among them. */
  readonly totalBytes: number | undefined;
  /** The duration of this run so far, in milliseconds. */
  readonly elapsedMs: number;
  /** The reason why the import waits, if it does. */
  readonly waiting: string | undefined;
}

/** Returns the rows per second, and the seconds left if the total size is known. */
function rateOf({ rows, skippedBytes, bytes, totalBytes = Number.NaN, elapsedMs }: Measure) {
  const perSecond = (count: number): number => (elapsedMs > 0 ? (count * 1000) / elapsedMs : 0);
  const secondsLeft = Math.max(0, totalBytes - bytes) / perSecond(bytes - skippedBytes);
  return { rowsPerSecond: perSecond(rows), secondsLeft: Number.isFinite(secondsLeft) ? secondsLeft : undefined };
}

/**
 * Formats the progress: `12,345 delivered  4.1 of 20.0 MB  21,000/s  0:07 left`.
 *
 * @param noun the word for rows that ended well, such as `delivered`
 */
export function describeMeasure(measure: Measure, noun: string): string {
  const { rowsPerSecond, secondsLeft } = rateOf(measure);
  const { rows, totalBytes, bytes, rejected, waiting } = measure;
  return columns(
    `${formatCount(rows - rejected)} ${noun}`,
    totalBytes === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} of ${megabytes(totalBytes)} MB`,
    `${formatCount(rowsPerSecond)}/s`,
    secondsLeft !== undefined && `${duration(secondsLeft)} left`,
    rejected > 0 && `${formatCount(rejected)} rejected`,
    waiting,
  );
}

const DAY_S = 86_400;
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** Formats a duration of at most a day: `1:02:05`, `0:07`. */
export const duration = (seconds: number): string =>
  new Date(Math.min(Math.ceil(seconds), DAY_S - 1) * 1_000)
    .toISOString()
    .slice(11, 19)
    .replace(/^(?:00:0?|0)/, '');

/** Shows the progress until you call the returned function. */
export const showMeter = (terminal: Terminal, noun: string, measure: () => Measure): (() => void) =>
  showProgress(terminal, () => {
    const now = measure();
    const text = describeMeasure(now, noun);
    return { done: now.bytes, total: now.totalBytes, text, record: { ...now, ...rateOf(now) } };
  });
