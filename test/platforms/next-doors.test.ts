import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { launch, type Program } from './app.js';
import { collector } from './bundles/collector.js';

const NEXT = 'next/dist/bin/next';

/** The warning that Next prints for every route on the edge. */
const OF_NEXT_ITSELF =
  /^.*(?:The Edge Runtime is deprecated|Using edge runtime on a page currently disables static generation).*$/gm;

/** Next compiles ten routes for two runtimes. */
const BUILD_MS = 300_000;

let folder: string;
let server: Program | undefined;
let url: string;
let built: string;

beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, 'app-'));
  await cp(join(import.meta.dirname, 'next-doors'), folder, { recursive: true });
  // In a CI environment, Next warns about a build without a cache.
  await mkdir(join(folder, '.next', 'cache'), { recursive: true });
  const build = launch(NEXT, ['build'], folder);
  expect(await build.ended, build.output()).toBe(0);
  built = build.output();
  server = launch(NEXT, ['start', '--port', '0'], folder);
  url = await server.printed(/Local: +(http\S+)/);
}, BUILD_MS);

afterAll(async () => {
  server?.signal('SIGTERM');
  await server?.ended;
  await rm(folder, { recursive: true, force: true });
});

/** Posts the URL of an endpoint to a route. Resolves with the answer. */
async function visit(route: string, endpoint: string): Promise<unknown> {
  const response = await fetch(`${url}/${route}`, { method: 'POST', body: endpoint });
  const text = await response.text();
  expect(response.status, `${text}\n${server?.output()}`).toBe(200);
  return JSON.parse(text);
}

describe('an app bundled by Next', () => {
  test('an app bundled by Next is built from every import of the package without a warning', () => {
    expect(built.replace(OF_NEXT_ITSELF, '')).not.toMatch(/warn|⚠/i);
  });

  test.each([
    'node/eventferry',
    'node/events',
    'node/middleware',
    'node/opentelemetry',
    'edge/fetch',
    'edge/events',
    'edge/middleware',
  ])('an app bundled by Next delivers a message from the route %s', async (route) => {
    const { url: endpoint, messages } = await sink();
    expect(await visit(route, endpoint)).toEqual({ delivered: 1, lost: 0 });
    expect(messages).toMatchObject([{ type: 'track', event: 'Signed Up', userId: 'u1' }]);
  });

  test.each<[string, object]>([
    ['node/webhooks', { status: 200, received: ['Signed Up'] }],
    ['node/testing', { captured: 1 }],
    ['node/admin', { success: true }],
  ])('an app bundled by Next runs the import of the route %s', async (route, outcome) => {
    expect(await visit(route, await collector())).toEqual(outcome);
  });
});
