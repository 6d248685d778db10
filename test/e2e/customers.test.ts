import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/service/config/parse.js';
import { basic, send } from '../collector/support.js';
import { serving, TOKEN, track } from '../service/support.js';
import { behaviourOf, customersOf, keyOf, nameOf, startCustomers } from './customers.js';

const CUSTOMERS = 500;
const EVENTS = 4;
const MOST_HELD_MS = 50;
/** A garbage collection may fall into one of them, and what a route itself costs is in each. */
const TRIES = 3;

/** Asks from a thread of its own, so that what the asking costs is not what the service does. */
function startAsking(): (url: string) => Promise<{ status: number; bytes: number }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const { request } = require('node:http');
     parentPort.on('message', ({ url, token }) => {
       const headers = { authorization: 'Bearer ' + token, 'accept-encoding': 'br' };
       request(url, { headers }, (response) => {
         let bytes = 0;
         response.on('data', (chunk) => { bytes += chunk.length; });
         response.on('end', () => parentPort.postMessage({ status: response.statusCode, bytes }));
       }).end();
     });`,
    { eval: true },
  );
  onTestFinished(() => void worker.terminate());
  return (url) => {
    worker.postMessage({ url, token: TOKEN });
    return new Promise((resolve) => worker.once('message', resolve));
  };
}

/** The CPU that this thread has had, in ms. */
const cpuMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

/** The most CPU that one turn of the event loop takes until the work is done, in ms. */
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

test('no call of the API, page or scrape holds the event loop of 500 customers for more than 50 ms of CPU', async () => {
  const customers = await startCustomers();
  const config = await parseConfig({
    listen: { port: 0 },
    admin: { token: TOKEN },
    metrics: { perDestination: true },
    ...customersOf(CUSTOMERS, customers.url),
  });
  const { url, service } = await serving(config);
  for (let customer = 0; customer < CUSTOMERS; customer++) {
    const batch = Array.from({ length: EVENTS }, (_, event) => track(`m${customer}-${event}`));
    const headers = { authorization: basic(keyOf(customer)) };
    expect((await send(url, '/v1/batch', { headers, body: JSON.stringify({ batch }) })).status).toBe(200);
  }
  const attempted = (): number =>
    service.destinations().filter((each) => each.counters().attempts > 0 && each.counters().delivered % EVENTS === 0)
      .length;
  await expect.poll(attempted, { timeout: 60_000 }).toBe(CUSTOMERS);
  await expect.poll(() => service.destinations()[7]?.counters().dead).toBe(EVENTS);

  const one = encodeURIComponent(nameOf(7));
  expect(behaviourOf(7)).toBe('is gone');
  const source = encodeURIComponent('Source of customer 7');
  const ask = startAsking();
  const held: Record<string, [number, number]> = {};
  for (const path of [
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1/openapi.json',
    '/v1/status',
    '/v1/sources',
    `/v1/sources/${source}/counts?hours=720`,
    `/v1/sources/${source}/history?range=7d`,
    `/v1/sources/${source}/rejections`,
    `/v1/sources/${source}/violations`,
    '/v1/destinations',
    `/v1/destinations/${one}`,
    `/v1/destinations/${one}/history?range=7d`,
    `/v1/destinations/${one}/dead-letters`,
    `/v1/destinations/${one}/dead-letters/count`,
    `/v1/destinations/${one}/dead-letters/m7-0`,
    `/v1/destinations/${one}/jobs`,
    '/v1/deliveries?limit=50',
    '/v1/deliveries?user=u1&status=404',
    '/v1/deliveries/m7-0',
    '/v1/deliveries/unknown',
    '/v1/deletions',
    '/v1/audiences',
    '/v1/traits',
  ]) {
    const turns: number[] = [];
    let answer = { status: 0, bytes: 0 };
    for (let tries = 0; tries < TRIES; tries++) {
      const asking = ask(`${url}${path}`);
      turns.push(await longestTurn(asking));
      answer = await asking;
    }
    expect([path, answer.status]).toEqual([path, path.endsWith('/unknown') ? 404 : 200]);
    held[path] = [Math.round(Math.min(...turns)), answer.bytes];
  }
  // What the page asks for a screen of destinations every two seconds, where anything changed.
  expect(held['/v1/destinations']?.[1]).toBeLessThan(20_000);
  expect(Object.entries(held).filter(([, [ms]]) => ms > MOST_HELD_MS)).toEqual([]);
}, 180_000);
