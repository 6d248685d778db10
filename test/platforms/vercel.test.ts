import { waitUntil } from '@vercel/functions';
import { afterEach, expect, test, vi } from 'vitest';
import { client, track } from '../support/client.js';
import { sink } from '../support/sink.js';

const places = globalThis as unknown as Record<symbol, unknown>;
const PLACE = Symbol.for('@vercel/request-context');

afterEach(() => {
  delete places[PLACE];
  vi.unstubAllEnvs();
});

test("the client finds the waitUntil of a request in the same place as Vercel's own functions", async () => {
  vi.stubEnv('VERCEL', '1');
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const promises: Promise<unknown>[] = [];
  places[PLACE] = { get: () => ({ waitUntil: (promise: Promise<unknown>) => void promises.push(promise) }) };
  const others = Promise.resolve();
  waitUntil(others);
  expect(promises).toEqual([others]);
  analytics.track(track());
  expect(promises).toHaveLength(2);
  await promises[1];
  expect(collector.messages).toHaveLength(1);
});

test("Vercel's own waitUntil can be passed to a client as an option", async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, waitUntil });
  let promise: Promise<unknown> | undefined;
  places[PLACE] = { get: () => ({ waitUntil: (given: Promise<unknown>) => (promise = given) }) };
  analytics.track(track());
  await promise;
  expect(collector.messages).toHaveLength(1);
});
