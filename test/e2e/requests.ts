import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { track } from '../service/support.js';

/** The result of a request: its status, or the code of its error. */
type Outcome = number | string;

const CONNECTIONS = 8;
const MESSAGES = 5;

/** A client that does not retry, so that every request without an answer is noticed. */
export class Requests {
  /** The number of requests by their result. */
  readonly outcomes = new Map<Outcome, number>();
  /** The ids of the messages that were answered with 200. */
  readonly acknowledged: string[] = [];
  /** When each request was sent whose connection broke, by `performance.now()`; infinite if it was never sent completely. */
  readonly broken: number[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #prefix: string;
  readonly #url: string;
  readonly #writeKey: string;
  readonly #going: Promise<unknown>;
  #count = 0;
  #isStopped = false;

  /** All ids begin with `prefix`. */
  constructor(url: string, writeKey: string, prefix: string) {
    this.#prefix = prefix;
    this.#url = url;
    this.#writeKey = writeKey;
    this.#going = Promise.all(Array.from({ length: CONNECTIONS }, () => this.#go()));
    onTestFinished(() => this.stop());
  }

  /** Resolves when `count` more messages were acknowledged. */
  async more(count: number): Promise<void> {
    const enough = this.acknowledged.length + count;
    while (this.acknowledged.length < enough) await delay(5);
  }

  /** Sends nothing more. Resolves when each request has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#going;
    this.#agent.destroy();
  }

  async #go(): Promise<void> {
    while (!this.#isStopped) {
      const ids = Array.from({ length: MESSAGES }, () => `${this.#prefix}${this.#count++}`);
      const outcome = await this.#send(ids);
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 200) this.acknowledged.push(...ids);
      else await delay(5);
    }
  }

  #send(ids: readonly string[]): Promise<Outcome> {
    return new Promise((resolve) => {
      const sent = request(`${this.#url}/v1/batch`, {
        method: 'POST',
        agent: this.#agent,
        auth: `${this.#writeKey}:`,
        headers: { 'Content-Type': 'application/json' },
      });
      sent.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      let sentAt = Number.POSITIVE_INFINITY;
      sent.on('finish', () => {
        sentAt = performance.now();
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') this.broken.push(sentAt);
        resolve(error.code ?? error.message);
      });
      sent.end(JSON.stringify({ batch: ids.map((id) => track(id)) }));
    });
  }
}
