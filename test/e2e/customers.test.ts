import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PageObserver } from '../../src/cli/serve/page-observer.js';
import { buildPage } from '../../src/dashboard/page/build.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { openCustomers } from './customers.js';
import { LOOKS, Looker } from './looks.js';

/** CUSTOMERS=500 ATTEMPTS=1000000 is the full size, which takes minutes. */
const { CUSTOMERS = '100', ATTEMPTS = '50000' } = process.env;
const MOST_HELD_MS = 50;

/** The feed is left out, because its answer has no end. */
const FEED = '/v1/feed';

/** Returns the paths of the routes that only read, each as a regular expression. */
async function readRoutes(url: string): Promise<RegExp[]> {
  const { paths } = (await (await fetch(`${url}/v1/openapi.json`)).json()) as { paths: Record<string, object> };
  const read = Object.entries(paths).filter(([path, methods]) => 'get' in methods && path !== FEED);
  return read.map(([path]) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`));
}

test(`no route that reads, page or scrape of ${CUSTOMERS} customers holds the event loop for more than ${MOST_HELD_MS} ms of CPU, and clients beside are answered`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-customers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const storage = await lmdbStorage({ path: folder });
  onTestFinished(() => storage.close());
  const observer = new PageObserver(await buildPage());
  const size = { customers: Number(CUSTOMERS), attempts: Number(ATTEMPTS) };
  const { url, close } = await openCustomers({ storage, observer, ...size });
  onTestFinished(close);
  const routes = await readRoutes(url);
  expect(routes.length).toBeGreaterThan(20);
  expect(
    routes.filter((route) => !LOOKS.some((look) => route.test(look))),
    'add a request for it to LOOKS',
  ).toEqual([]);

  const looker = new Looker(url);
  onTestFinished(() => looker.close());
  const looks = [];
  for (const path of LOOKS) looks.push(await looker.look(path));
  for (const { path, status, beside } of looks) {
    expect([path, status]).toEqual([path, path.endsWith('/unknown') ? 404 : 200]);
    expect(new Set(beside)).toEqual(new Set([200]));
  }
  // These are the requests that the page makes for a list of destinations.
  for (const screen of ['/v1/destinations?sort=state&limit=25', '/v1/sources?limit=50', '/v1/deliveries?limit=50'])
    expect([screen, looks.find(({ path }) => path === screen)?.bytes ?? 0]).toEqual([
      screen,
      expect.toSatisfy((bytes: number) => bytes > 0 && bytes < 20_000),
    ]);
  expect(looks.filter(({ heldMs }) => heldMs > MOST_HELD_MS).map(({ path, heldMs }) => [path, heldMs])).toEqual([]);
}, 600_000);
