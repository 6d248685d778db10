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
import type { TypedMessage } from '../../protocol/message.js';
import { exampleOf } from '../calls/call-style.js';
import type { ImportProgress } from './report.js';

/** Messages with a `type`, from anything that can be gone through: an array, a generator, a stream of parsed lines. */
export type ImportSource = Iterable<TypedMessage> | AsyncIterable<TypedMessage>;

/** As much of an `AbortSignal` as an import needs. */
export interface ImportSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface ImportOptions {
  /** The most rows a second, evenly; after a delay at most those of one second at once. @default as fast as the collector takes them */
  rate?: number | undefined;
  /** Stops the import at once. The client still sends the messages that it has accepted. */
  signal?: ImportSignal | undefined;
  /** How many rows of the source to pass over: the `resumeAt` of an earlier import of it. @default 0 */
  skip?: number | undefined;
  /** Told every thousand rows and at the end. One that throws breaks nothing. */
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Told of each row that is no valid message, as it came, with its place in the source, from 0. The import waits for the
   * promise it returns, if it returns one. One that throws breaks nothing.
   */
  onInvalid?: ((row: unknown, error: EventferryError, index: number) => unknown) | undefined;
  /** Whether a row without a timestamp is taken as happening now; otherwise it is invalid. @default false */
  allowNow?: boolean | undefined;
}

/** The slowest pace: a row in about a quarter of an hour. */
const LEAST_RATE = 0.001;

const RULES: Rules<ImportOptions> = {
  rate: {
    expected: `a number from ${LEAST_RATE} up`,
    holds: (value) => Number.isFinite(value) && Number(value) >= LEAST_RATE,
  },
  signal: abortSignal,
  skip: integer(0),
  onProgress: callback,
  onInvalid: callback,
  allowNow: flag,
};

/** @throws OptionError */
export function checkImport(source: unknown, options: unknown): void {
  // A string can be gone through, character by character: it is a path that the caller wants to have opened.
  if (!isObject(source) || !(isFunction(source[Symbol.iterator]) || isFunction(source[Symbol.asyncIterator]))) {
    throw new OptionError('client', 'source', 'an iterable or an async iterable of messages', describe(source));
  }
  checkOptions(options, RULES, { door: 'client', example: exampleOf('import', 'rate', options) });
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
