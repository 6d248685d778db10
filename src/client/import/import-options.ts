import { OptionError } from '../../base/errors/errors.js';
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
import type { ImportReport } from './report.js';

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
  /** Stops the import at once. The client still sends the messages that it has accepted. */
  signal?: ImportSignal | undefined;
  /** The number of rows to skip: the `resumeAt` of an earlier import of the same source. @default 0 */
  skip?: number | undefined;
  /** Called every thousand rows and at the end with the report so far. If it throws, the import continues. */
  onProgress?: ((progress: ImportReport) => void) | undefined;
  /** Give rows without a timestamp the current time. Otherwise they are invalid. @default false */
  allowNow?: boolean | undefined;
}

const RULES: Rules<ImportOptions> = {
  signal: abortSignal,
  skip: integer(0),
  onProgress: callback,
  allowNow: flag,
};

/** @throws OptionError */
export function checkImport(source: unknown, options: unknown): void {
  const { [Symbol.iterator]: rows, [Symbol.asyncIterator]: asyncRows } = Object(source);
  // A string is iterable too, but the caller means a path, which `import` does not open.
  if (typeof source === 'string' || !(isFunction(rows) || isFunction(asyncRows))) {
    throw new OptionError('client', 'source', 'an iterable or an async iterable of messages', describe(source));
  }
  checkOptions(options, RULES, { door: 'client', example: exampleOf('import', 'skip', options) });
}
