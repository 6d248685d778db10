import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { basic } from '../collector/support.js';
import { operations } from '../service/api/described.js';
import { TOKEN } from '../service/support.js';
import { keyOf, nameOf, sourceOf } from './customers.js';
import { keptId } from './kept-attempts.js';

/** A customer whose endpoint answers 404, so that it has dead letters. */
const GONE = 7;
const one = encodeURIComponent(nameOf(GONE));
const source = encodeURIComponent(sourceOf(GONE));

/** The routes without names or ids in their paths. The feed is left out, because its answer has no end. */
const PLAIN = operations
  .filter(
    ({ method, path }) => method === 'GET' && !path.includes(':') && path !== '/v1/feed' && path !== '/v1/deliveries',
  )
  .map(({ path }) => path);

/** All requests that read from a service: the routes of the API that change nothing, and those without a token. */
export const LOOKS: readonly string[] = [
  ...PLAIN,
  '/v1/sources?limit=50',
  `/v1/sources/${source}/counts?hours=720`,
  `/v1/sources/${source}/history?range=7d`,
  `/v1/sources/${source}/rejections`,
  `/v1/sources/${source}/violations`,
  '/v1/destinations?sort=state&limit=25',
  `/v1/destinations/${one}`,
  `/v1/destinations/${one}/history?range=7d`,
  `/v1/destinations/${one}/errors`,
  '/v1/deliveries?limit=50',
  '/v1/deliveries?phase=dead&limit=50',
  '/v1/deliveries?phase=dead&count=true&from=2020-01-01',
  `/v1/deliveries?phase=dead&destination=${one}`,
  '/v1/deliveries?phase=waiting&limit=50',
  '/v1/deliveries?phase=delivered&by=acceptance&to=2020-01-01',
  `/v1/deliveries?destination=${one}&limit=50`,
  '/v1/deliveries?user=user-17&limit=50',
  '/v1/deliveries?user=nobody&status=404',
  `/v1/deliveries/${keptId(1)}`,
  `/v1/deliveries/m${GONE}-0`,
  '/v1/deliveries/unknown',
  '/v1/jobs/unknown',
  '/v1/deletions/unknown',
  '/v1/audiences/unknown',
  '/v1/traits/unknown',
];

/** The number of tries of each request. A garbage collection may happen in one of them; the cost of the request is in all. */
const TRIES = 3;

export interface Look {
  readonly path: string;
  readonly status: number;
  /** The size of the compressed answer. */
  readonly bytes: number;
  /** The most CPU time that one turn of the event loop took, in ms, while other requests were answered too. */
  readonly heldMs: number;
  /** The CPU time of the event loop's thread in total, in ms. */
  readonly cpuMs: number;
  /** The statuses of the health checks and events that were sent at the same time. */
  readonly beside: readonly number[];
}

/** Makes requests from a separate thread, so that their cost is not counted for the service. */
export class Looker {
  readonly #url: string;
  readonly #worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const { request } = require('node:http');
     const ask = ({ url, method, headers, body }) => new Promise((resolve, reject) => {
       request(url, { method, headers }, (response) => {
         let bytes = 0;
         response.on('data', (chunk) => { bytes += chunk.length; });
         response.on('end', () => resolve({ status: response.statusCode, bytes }));
       }).on('error', reject).end(body);
     });
     parentPort.on('message', async (asked) => parentPort.postMessage(await Promise.all(asked.map(ask))));`,
    { eval: true },
  );
  #events = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async look(path: string): Promise<Look> {
    let best: Look | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const cpuMs = await this.#cpuOf(path);
      const asking = this.#ask([this.#asked(path), ...this.#beside()]);
      const heldMs = await longestTurn(asking);
      const [{ status, bytes } = NONE, ...others] = await asking;
      const beside = [...(best?.beside ?? []), ...others.map((other) => other.status)];
      best = {
        ...{ path, status, bytes, beside },
        heldMs: Math.min(heldMs, best?.heldMs ?? heldMs),
        cpuMs: Math.min(cpuMs, best?.cpuMs ?? cpuMs),
      };
    }
    if (best === undefined) throw new Error('There was no look');
    return best;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #cpuOf(path: string): Promise<number> {
    const before = cpuMs();
    await this.#ask([this.#asked(path)]);
    return cpuMs() - before;
  }

  #ask(asked: readonly Asked[]): Promise<Answered[]> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve);
      this.#worker.postMessage(asked);
    });
  }

  #asked(path: string): Asked {
    const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'br' };
    return { url: this.#url + path, method: 'GET', headers };
  }

  /** Sends requests of a load balancer and a client, which notice when the event loop is blocked. */
  #beside(): Asked[] {
    const message = { type: 'track', event: 'Beside', userId: 'u1', messageId: `beside-${this.#events++}` };
    const headers = { authorization: basic(keyOf(0)), 'content-type': 'application/json' };
    return [
      { url: `${this.#url}/healthz`, method: 'GET', headers: {} },
      { url: `${this.#url}/v1/batch`, method: 'POST', headers, body: JSON.stringify({ batch: [message] }) },
    ];
  }
}

interface Asked {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly bytes: number;
}

const NONE: Answered = { status: 0, bytes: 0 };

/** Returns the CPU time of this thread in ms. Other work of the machine is not included. */
const cpuMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

/** Returns the most CPU time that one turn of the event loop takes until the work is done, in ms. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let [isDone, longest, before] = [false, 0, cpuMs()];
  void work.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await turn();
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}
