import { createHash } from 'node:crypto';
import type { TypedMessage } from 'eventferry';

/** What a message must look like when it arrives, as one short text. */
export const fingerprint = (message: object): string =>
  createHash('sha1').update(JSON.stringify(message, sortKeys)).digest('base64');

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Compares what was sent with what arrived, message by message. */
export class Comparison {
  readonly #expected = new Map<string, string>();
  readonly #arrived = new Set<string>();
  doubled = 0;
  changed = 0;
  unknown = 0;

  /** Hands the messages on and remembers what each must look like. */
  async *watch(source: AsyncIterable<TypedMessage>): AsyncGenerator<TypedMessage> {
    for await (const message of source) {
      const timestamp = new Date(message.timestamp ?? Number.NaN).toISOString();
      this.#expected.set(String(message.messageId), fingerprint({ ...message, timestamp }));
      yield message;
    }
  }

  /** @param message as it was sent: without what the collector adds */
  arrive(message: { messageId?: unknown }): void {
    const id = String(message.messageId);
    const expected = this.#expected.get(id);
    if (expected === undefined) this.unknown++;
    else if (this.#arrived.has(id)) this.doubled++;
    else if (expected !== fingerprint(message)) this.changed++;
    this.#arrived.add(id);
  }

  get missing(): number {
    return this.#expected.size - [...this.#expected.keys()].filter((id) => this.#arrived.has(id)).length;
  }

  get isEqual(): boolean {
    return this.missing + this.doubled + this.changed + this.unknown === 0;
  }
}
