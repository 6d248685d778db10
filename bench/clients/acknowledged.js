// No client: bodies of JSON.stringify, each sent until it is answered 200, many at a time. What comes through a service is
// bounded by the service, and what it has not answered for is not counted as lost.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { messageOf } from '../event.js';

const RETRY_MS = 50;

export function open(url, { messages, concurrency }) {
  const pool = new Pool(url, { connections: concurrency });
  const headers = { Authorization: 'Basic YmVuY2g6', 'Content-Type': 'application/json' };

  async function post(body) {
    const startedAt = performance.now();
    while ((await statusOf(body)) !== 200) await delay(RETRY_MS);
    return performance.now() - startedAt;
  }

  async function statusOf(body) {
    const { statusCode, body: answer } = await pool.request({ method: 'POST', path: '/v1/batch', headers, body });
    await answer.dump();
    return statusCode;
  }

  return {
    /** Sends the events with the numbers from `first` to before `end`; resolves with how long each request took, in ms. */
    async run(first, end) {
      const answeredMs = [];
      let next = first;
      const sender = async () => {
        while (next < end) {
          const batch = [];
          for (; next < end && batch.length < messages; next++) batch.push(messageOf(next));
          answeredMs.push(await post(JSON.stringify({ batch, sentAt: new Date().toISOString() })));
        }
      };
      await Promise.all(Array.from({ length: concurrency }, sender));
      return answeredMs;
    },
    close: () => pool.close(),
  };
}
