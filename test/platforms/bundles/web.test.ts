import { build, type Platform } from 'esbuild';
import { Miniflare } from 'miniflare';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from './workspace.js';

const folder = workspace();

/** Bundles a program for a page or a Worker. Resolves with its text. */
async function bundle(contents: string, platform: Platform, external: readonly string[] = []): Promise<string> {
  const { outputFiles, warnings } = await build({
    stdin: { contents, resolveDir: folder() },
    bundle: true,
    format: 'esm',
    platform,
    conditions: ['workerd', 'worker', 'browser'],
    external: [...external],
    write: false,
    logLevel: 'silent',
  });
  expect(warnings.map(({ text }) => text)).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

test.each(['fetch', 'events', 'middleware'])(
  'a bundle of eventferry/%s for a browser is built without a warning, and imports no module of Node',
  async (door) => {
    expect(await bundle(`export * from 'eventferry/${door}';`, 'browser')).not.toMatch(/\bfrom\s*["']|\brequire\(/);
  },
);

async function ask(script: string, compatibilityFlags: string[]): Promise<string> {
  const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', compatibilityFlags });
  onTestFinished(() => worker.dispose());
  return (await worker.dispatchFetch('http://worker.test/pricing?token=secret')).text();
}

/** The function given as `transport` takes the place of a collector. */
const VISIT = `
import { AsyncLocalStorage } from 'node:async_hooks';
import { Analytics } from 'eventferry/fetch';
import { defineEvents } from 'eventferry/events';
import { withRun } from 'eventferry/middleware';

globalThis.AsyncLocalStorage = AsyncLocalStorage;
const schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } };
const events = defineEvents({ Viewed: schema });

export default {
  async fetch(request) {
    const sent = [];
    const transport = async ({ body }) => {
      sent.push(...JSON.parse(new TextDecoder().decode(body)).batch);
      return { status: 200 };
    };
    const analytics = new Analytics({ writeKey: 'k', endpoint: 'http://collector.test', transport, events });
    const handle = withRun(analytics, () => analytics.current.track({ event: 'Viewed' }), { page: true });
    handle(request);
    await analytics.close();
    return Response.json(sent.map(({ event, anonymousId, context }) => ({ event, anonymousId, page: context.page })));
  },
};
`;

test('in a Worker, the middleware identifies a visitor without an id, and a catalogue checks an event', async () => {
  const answer = await ask(await bundle(VISIT, 'neutral', ['node:async_hooks']), ['nodejs_als']);
  expect(JSON.parse(answer)).toEqual([
    {
      event: 'Viewed',
      anonymousId: expect.stringMatching(/^[\w-]{36}$/),
      page: { url: 'http://worker.test/pricing', path: '/pricing' },
    },
  ]);
});

const RECEIVE = `
import { createReceiver, sign } from 'eventferry/webhooks';

const event = { version: 1, type: 'track', messageId: 'm1', userId: 'u1', event: 'Signed Up', timestamp: new Date(0) };

export default {
  async fetch() {
    const received = [];
    const receiver = createReceiver({ secrets: 'shhh', onEvent: ({ event }) => void received.push(event) });
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', 'x-signature': sign(body, 'shhh') };
    const { answer } = await receiver.receive({ method: 'POST', headers, body });
    return Response.json({ status: answer.status, received });
  },
};
`;

test('a Worker with nodejs_compat receives a webhook', async () => {
  const answer = await ask(await bundle(RECEIVE, 'neutral', ['node:crypto']), ['nodejs_compat']);
  expect(JSON.parse(answer)).toEqual({ status: 200, received: ['Signed Up'] });
});
