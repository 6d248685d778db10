import { createHash } from 'node:crypto';
import type { TypedMessage } from '../../protocol/calls.js';

/** Passes messages on, and records by id what each message must look like when it arrives. */
export async function* noting(
  expected: Map<string, string>,
  source: AsyncIterable<TypedMessage>,
): AsyncGenerator<TypedMessage> {
  for await (const message of source) {
    const timestamp = new Date(message.timestamp ?? Number.NaN).toISOString();
    expected.set(String(message.messageId), fingerprint({ ...message, timestamp }));
    yield message;
  }
}

/** Compares the messages that arrive at one place with those that were sent. */
export class DemoArrivals {
  readonly #expected: ReadonlyMap<string, string>;
  readonly #ids = new Set<string>();
  readonly #wrong = { doubled: 0, changed: 0, unknown: 0 };

  constructor(expected: ReadonlyMap<string, string>) {
    this.#expected = expected;
  }

  /** @param message the message without the fields that were added on the way */
  note(message: { messageId?: unknown }): void {
    const id = String(message.messageId);
    const expected = this.#expected.get(id);
    if (expected === undefined) this.#wrong.unknown++;
    else if (this.#ids.has(id)) this.#wrong.doubled++;
    else if (expected !== fingerprint(message)) this.#wrong.changed++;
    if (expected !== undefined) this.#ids.add(id);
  }

  counts() {
    const arrived = this.#ids.size;
    return { arrived, missing: this.#expected.size - arrived, ...this.#wrong };
  }

  /** True if every message arrived once and unchanged, and nothing else arrived. */
  get isRight(): boolean {
    const { arrived: _, ...wrong } = this.counts();
    return Object.values(wrong).every((count) => count === 0);
  }
}

const fingerprint = (message: object): string =>
  createHash('sha1').update(JSON.stringify(message, sortKeys)).digest('base64');

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
