import { type EventferryError, OptionError } from '../../base/errors/errors.js';
import {
  abortSignal,
  callback,
  checkOptions,
  flag,
  integer,
  isFunction,
  type Rules,
} from '../../base/options/check-options.js';
import { describe } from '../../base/text/describe.js';
import type { TypedMessage } from '../../protocol/calls.js';
import { exampleOf } from '../calls/call-style.js';
import type { ImportProgress } from './report.js';

/** Rows one by one or in arrays, from any iterable: an array, a generator, a stream of parsed lines. */
export type Rows<Row> = Iterable<Row | Row[]> | AsyncIterable<Row | Row[]>;

/** Messages with a `type`. */
export type ImportSource = Rows<TypedMessage>;

/** The part of an `AbortSignal` that an import needs. */
export interface ImportSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface ImportOptions {
  /**
   * The most rows per second, spread evenly. After a delay, at most one second's rows go out at once. @default as fast
   * as the collector accepts
   */
  rate?: number | undefined;
  /** Stops the import at once. The client still sends the messages that it has accepted. */
  signal?: ImportSignal | undefined;
  /** The number of rows to skip: the `resumeAt` of an earlier import of the same source. @default 0 */
  skip?: number | undefined;
  /** Called every thousand rows and at the end. If it throws, the import continues. */
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Called with each invalid row as the source gave it, its error, and its index in the source, from 0. If it returns a
   * promise, the import waits for it. If it throws or rejects, the import continues.
   */
  onInvalidRow?: ((row: unknown, error: EventferryError, index: number) => unknown) | undefined;
  /** Give rows without a timestamp the current time. Otherwise they are invalid. @default false */
  allowNow?: boolean | undefined;
}

/** The lowest rate: one row in about 17 minutes. */
const LEAST_RATE = 0.001;

const RULES: Rules<ImportOptions> = {
  rate: {
    expected: `a number from ${LEAST_RATE} up`,
    holds: (value) => Number.isFinite(value) && Number(value) >= LEAST_RATE,
  },
  signal: abortSignal,
  skip: integer(0),
  onProgress: callback,
  onInvalidRow: callback,
  allowNow: flag,
};

/** @throws OptionError */
export function checkImport(source: unknown, options: unknown): void {
  // A string is iterable too, but the caller means a path, which `import` does not open.
  if (!isObject(source) || !(isFunction(source[Symbol.iterator]) || isFunction(source[Symbol.asyncIterator]))) {
    throw new OptionError('client', 'source', 'an iterable or an async iterable of messages', describe(source));
  }
  checkOptions(options, RULES, { door: 'client', example: exampleOf('import', 'rate', options) });
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
