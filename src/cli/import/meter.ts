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

/** The words that name the counts. */
export interface Nouns {
  /** The word for rows that ended well, such as `delivered`. */
  readonly rows: string;
  readonly rate: string;
}

/** Returns the rows per second, and the seconds left if the total size is known. */
export function rateOf({ rows, skippedBytes, bytes, totalBytes, elapsedMs }: Measure) {
  const seconds = elapsedMs / 1000;
  const [rowsPerSecond, bytesPerSecond] = seconds > 0 ? [rows / seconds, (bytes - skippedBytes) / seconds] : [0, 0];
  const isKnown = totalBytes !== undefined && bytesPerSecond > 0;
  return { rowsPerSecond, secondsLeft: isKnown ? Math.max(0, totalBytes - bytes) / bytesPerSecond : undefined };
}

/** Formats the progress: `12,345 delivered of 15,000 read  4.1 of 20.0 MB  21,000 events/s  0:07 left`. */
export function describeMeasure(measure: Measure, nouns: Nouns): string {
  const { rowsPerSecond, secondsLeft } = rateOf(measure);
  const { rows, read, totalBytes, bytes, rejected, waiting } = measure;
  return [
    `${formatCount(rows - rejected)} ${nouns.rows}${read === undefined ? '' : ` of ${formatCount(read)} read`}`,
    totalBytes === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} of ${megabytes(totalBytes)} MB`,
    `${formatCount(rowsPerSecond)} ${nouns.rate}`,
    secondsLeft === undefined ? '' : `${duration(secondsLeft)} left`,
    rejected === 0 ? '' : `${formatCount(rejected)} rejected`,
    waiting ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');
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
