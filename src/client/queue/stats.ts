/** Counts what became of every message so far. At every moment `accepted + recovered = delivered + lost + pending`. */
export interface Stats {
  /** Messages that calls took, those that were lost at once included. */
  readonly accepted: number;
  /** Messages of earlier processes that were found in the journal. */
  readonly recovered: number;
  /** Messages the collector has. */
  readonly delivered: number;
  /** Messages that are not delivered and will not be. */
  readonly lost: number;
  /** Messages that wait or are on their way. */
  readonly pending: number;
  /** The lost by the `code` of their error: `{ EVENTFERRY_QUEUE_FULL: 3 }`. */
  readonly lostByCode: Readonly<Record<string, number>>;
  /** Messages a `before` function dropped, or that a client which is not `enabled` took; they are not among the accepted. */
  readonly filtered: number;
  /** Requests that were sent, repetitions included. */
  readonly requests: number;
  /** Requests that were repetitions. */
  readonly retries: number;
  /** Bytes of the bodies that were sent, before compression. */
  readonly bytes: number;
}

/** Counts messages: each comes in once and goes out once. */
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
  /** Bytes of the pending messages as JSON. */
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

  /** Accepted and lost in one: it never waited. */
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
