import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { type Line, LineSplitter } from '../../base/text/lines.js';
import { SyncEntryError } from './audience-errors.js';
import type { Kind } from './named.js';

/** Enough for the longest id and the longest value with most of their characters escaped. */
export const MAX_LINE_BYTES: Readonly<Record<Kind, number>> = { audience: 10_000, trait: 20_000 };

/** One line of a list. */
export interface ListedLine {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

/**
 * The values of newline-delimited JSON, one a line; empty lines are passed over.
 *
 * @throws SyncEntryError at the first line that is too long, or is no JSON in UTF-8
 */
export async function* listedLines(kind: Kind, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedLine> {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES[kind] });
  for await (const chunk of chunks) yield* valuesOf(kind, splitter.push(chunk));
  yield* valuesOf(kind, splitter.end());
}

export const wrongLine = (kind: Kind, number: number, problem: string): SyncEntryError =>
  new SyncEntryError(kind, `line ${number}`, problem, number);

function* valuesOf(kind: Kind, lines: readonly Line[]): Generator<ListedLine> {
  for (const { number, bytes } of lines) {
    if (bytes === undefined) throw wrongLine(kind, number, `longer than ${MAX_LINE_BYTES[kind]} bytes`);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw wrongLine(kind, number, 'not valid UTF-8');
    if (text.trim() === '') continue;
    const value = parseJson(text);
    if (value === undefined) throw wrongLine(kind, number, 'not valid JSON');
    const loss = lossIn(text, value);
    if (loss !== undefined) throw wrongLine(kind, number, loss);
    yield { number, value };
  }
}
