/** The numbers of messages so far, by their state. At every moment `accepted + recovered = delivered + lost + pending`. */
export interface Stats {
  /** Messages that calls accepted, including those that were lost at once. */
  readonly accepted: number;
  /** Messages of earlier processes that were found in the journal. */
  readonly recovered: number;
  /** Messages that the collector has accepted. */
  readonly delivered: number;
  /** Messages that were not delivered and will not be. */
  readonly lost: number;
  /** Messages that wait or are being sent. */
  readonly pending: number;
  /** The number of lost messages by the `code` of their error: `{ EVENTFERRY_QUEUE_FULL: 3 }`. */
  readonly lostByCode: Readonly<Record<string, number>>;
  /** Messages that a `before` function dropped, or that came while the client was not `enabled`; not `accepted`. */
  readonly filtered: number;
  /** Requests that were sent, including retries. */
  readonly requests: number;
  /** Requests that were retries. */
  readonly retries: number;
  /** The bytes of the bodies that were sent, before compression. */
  readonly bytes: number;
}

/** Counts messages: each enters once and leaves once. */
export class StatsCounter {
  accepted = 0;
  recovered = 0;
  delivered = 0;
  lost = 0;
  filtered = 0;
  requests = 0;
  retries = 0;
  bytes = 0;
  pendingMessages = 0;
  /** The size of the pending messages as JSON, in bytes. */
  pendingBytes = 0;
  readonly #lostByCode = new Map<string, number>();

  accept(bytes: number): void {
    this.accepted++;
    this.pendingMessages++;
    this.pendingBytes += bytes;
  }

  deliver(messages: number, bytes: number): void {
    this.delivered += messages;
    this.pendingMessages -= messages;
    this.pendingBytes -= bytes;
  }

  lose(bytes: number, code: string): void {
    this.pendingMessages--;
    this.pendingBytes -= bytes;
    this.#countLost(code);
  }

  /** Counts a message as accepted and lost at once, because it never waited. */
  refuse(code: string): void {
    this.accepted++;
    this.#countLost(code);
  }

  stats(): Stats {
    const { accepted, recovered, delivered, lost, pendingMessages: pending, pendingBytes: _, ...others } = this;
    const lostByCode = Object.fromEntries(this.#lostByCode);
    return { accepted, recovered, delivered, lost, pending, lostByCode, ...others };
  }

  #countLost(code: string): void {
    this.lost++;
    this.#lostByCode.set(code, (this.#lostByCode.get(code) ?? 0) + 1);
  }
}
