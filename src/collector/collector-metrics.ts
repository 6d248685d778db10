import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The outcome of a request. */
export interface Answered {
  /** 499 if the client disconnected before the response. */
  readonly status: number;
  /** The reason why the whole request was refused. */
  readonly code: string | undefined;
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** The time from the headers to the response, in milliseconds. */
  readonly durationMs: number;
}

/** These values are read when the metrics are scraped. */
export interface CollectorLevels {
  readonly bytesInFlight: number;
  readonly requestsInFlight: number;
  readonly rememberedIds: number;
}

const PREFIX = 'eventferry_collector_';

/** The collector's counters, in their own registry so that they do not mix with another collector's or the host's metrics. */
export class CollectorMetrics {
  readonly #registry = new Registry();
  readonly requests = this.#counter('requests_total', 'Requests to the collecting paths, by status', ['status']);
  readonly messages = this.#counter('messages_total', 'Messages, by outcome', ['outcome']);
  readonly bytes = this.#counter('body_bytes_total', 'Bytes of bodies after decompression', []);
  readonly seconds = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'From the request line to the answer',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [this.#registry],
  });

  constructor(levels: () => CollectorLevels) {
    this.#gauge('bytes_in_flight', 'Bytes of bodies held now', () => levels().bytesInFlight);
    this.#gauge('requests_in_flight', 'Requests in flight now', () => levels().requestsInFlight);
    this.#gauge('remembered_ids', 'Message ids remembered now', () => levels().rememberedIds);
    for (const outcome of ['accepted', 'duplicate', 'rejected']) this.messages.inc({ outcome }, 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, level: () => number): void {
    new Gauge({
      name: PREFIX + name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(level());
      },
    });
  }
}
