import { createServer } from 'node:http';
import {
  createReceiver,
  type Delivery,
  type RefusedError,
  toNodeHandler,
  type WebhookEvent,
} from 'eventferry/webhooks';
import { listen } from '../scheduler/test-endpoint.js';

/** The JSON of a delivery's body. */
export type Arrived = Record<string, unknown>;

/**
 * How long a test waits for something that must arrive. It is longer than the first three retries of a delivery take, and than
 * Redis takes to reassign the work of a killed process.
 */
const PATIENCE_MS = 180_000;

/** A service that is killed may have sent a part of a request. */
const isBrokenOff = ({ message }: RefusedError): boolean => message === 'The connection ended before the body did';

/** A customer's endpoint that verifies every signature. */
export class WebhookReceiver {
  readonly secret: string;
  /** Everything that arrived, in order, by its key. */
  readonly arrived = new Map<string, Arrived[]>();
  readonly refused: RefusedError[] = [];
  /** The status that is answered instead of accepting the event. */
  failing: number | undefined;
  #holding: Promise<void> | undefined;
  #url = '';
  readonly #listeners = new Set<(key: string) => void>();

  private constructor(secret: string) {
    this.secret = secret;
  }

  static async start(secret = 'a shared secret'): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(secret);
    const take = toNodeHandler(
      createReceiver({
        secrets: secret,
        onEvent: async (event, delivery) => {
          await receiver.#holding;
          receiver.#take(event, delivery);
        },
        respondAfter: false,
        onRefused: (refusal) => {
          if (!isBrokenOff(refusal)) receiver.refused.push(refusal);
        },
      }),
    );
    const server = createServer((request, response) => {
      if (receiver.failing === undefined) void take(request, response);
      else request.resume().on('end', () => response.writeHead(receiver.failing ?? 200).end());
    });
    receiver.#url = `http://127.0.0.1:${await listen(server)}/hook`;
    return receiver;
  }

  get url(): string {
    return this.#url;
  }

  /** The JSON of each event in its first delivery. */
  get events(): Arrived[] {
    return [...this.arrived.values()].map(([first = {}]) => first);
  }

  get(key: string): Arrived | undefined {
    return this.arrived.get(key)?.[0];
  }

  /** Accepts no event until the returned function is called; senders wait. */
  hold(): () => void {
    let release = (): void => {};
    this.#holding = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      this.#holding = undefined;
      release();
    };
  }

  /** Returns how often this key arrived. */
  times(key: string): number {
    return this.arrived.get(key)?.length ?? 0;
  }

  /** Resolves when each of these keys has arrived. @throws Error that names the number of missing ones */
  async has(keys: Iterable<string>): Promise<void> {
    const missing = new Set([...keys].filter((key) => !this.arrived.has(key)));
    await this.#until(
      (key) => missing.delete(key) && missing.size === 0,
      missing.size === 0,
      () => `${missing.size} did not arrive: ${[...missing].slice(0, 3).join(', ')}`,
    );
  }

  /** Resolves when `count` different events have arrived. @throws Error that names the number that have */
  async hasEvents(count: number): Promise<void> {
    const isEnough = (): boolean => this.arrived.size >= count;
    await this.#until(isEnough, isEnough(), () => `${this.arrived.size} of ${count} arrived`);
  }

  async #until(holds: (key: string) => boolean, already: boolean, describe: () => string): Promise<void> {
    if (already) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(describe())), PATIENCE_MS);
      const listener = (key: string): void => {
        if (!holds(key)) return;
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }

  #take(event: WebhookEvent, { body }: Delivery): void {
    const arrived: Arrived = JSON.parse(Buffer.from(body).toString());
    const key = keyOf(event);
    const known = this.arrived.get(key);
    if (known === undefined) this.arrived.set(key, [arrived]);
    else known.push(arrived);
    for (const listener of this.#listeners) listener(key);
  }
}

/** Returns the key of an event. A deletion has no id. */
const keyOf = (event: WebhookEvent): string => (event.type === 'delete' ? `delete ${event.userId}` : event.messageId);
