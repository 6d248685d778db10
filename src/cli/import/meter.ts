import { formatCount } from '../../base/text/plural.js';
import { showProgress } from '../terminal/progress-bar.js';
import type { Terminal } from '../terminal/terminal.js';

/** The progress of an import. */
export interface Measure {
  /** Rows that have ended in this run. */
  readonly rows: number;
  readonly rejected: number;
  /** Rows read in this run; undefined if every row ends as it is read. */
  readonly read?: number | undefined;
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

/** The words for rows that ended well, such as `delivered`, and for the rate. */
interface Nouns {
  readonly rows: string;
  readonly rate: string;
}

/** Returns the rows per second, and the seconds left if the total size is known. */
function rateOf({ rows, skippedBytes, bytes, totalBytes = Number.NaN, elapsedMs }: Measure) {
  const perSecond = (count: number): number => (elapsedMs > 0 ? (count * 1000) / elapsedMs : 0);
  const secondsLeft = Math.max(0, totalBytes - bytes) / perSecond(bytes - skippedBytes);
  return { rowsPerSecond: perSecond(rows), secondsLeft: Number.isFinite(secondsLeft) ? secondsLeft : undefined };
}

/** Formats the progress: `12,345 delivered of 15,000 read  4.1 of 20.0 MB  21,000 events/s  0:07 left`. */
export function describeMeasure(measure: Measure, nouns: Nouns): string {
  const { rowsPerSecond, secondsLeft } = rateOf(measure);
  const { rows, read, totalBytes, bytes, rejected, waiting } = measure;
  const parts = [
    `${formatCount(rows - rejected)} ${nouns.rows}${read === undefined ? '' : ` of ${formatCount(read)} read`}`,
    totalBytes === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} of ${megabytes(totalBytes)} MB`,
    `${formatCount(rowsPerSecond)} ${nouns.rate}`,
    secondsLeft === undefined ? undefined : `${duration(secondsLeft)} left`,
    rejected === 0 ? undefined : `${formatCount(rejected)} rejected`,
    waiting,
  ];
  return parts.filter((part) => part !== undefined).join('  ');
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** Shows the progress until you call the returned function. */
export const showMeter = (terminal: Terminal, nouns: Nouns, measure: () => Measure): (() => void) =>
  showProgress(terminal, () => {
    const now = measure();
    const text = describeMeasure(now, nouns);
    return { done: now.bytes, total: now.totalBytes, text, record: { ...now, ...rateOf(now) } };
  });
