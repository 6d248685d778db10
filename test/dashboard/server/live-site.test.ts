import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenOn } from '../../../src/cli/listen/listen-on.js';
import { Feed } from '../../../src/dashboard/server/live-feed.js';
import { createSite, type SiteOptions } from '../../../src/dashboard/server/live-site.js';

/** Starts a site on a free port. */
async function serving(fields: Partial<SiteOptions> = {}) {
  const feed = new Feed();
  const site = createSite({
    ...{ html: '<script>1</script>', feed, snippet: () => ['a line'], host: '127.0.0.1' },
    otherwise: (_, response) => response.writeHead(418).end(),
    send: async ({ type }) => ({ isDelivered: true, text: `sent ${type}` }),
    ...fields,
  });
  const server = createServer(site);
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { feed, post, url: `http://127.0.0.1:${port}` };
}

test('the site passes on every request that is not for it', async () => {
  const { url, post } = await serving();
  expect((await fetch(`${url}/v1/batch`)).status).toBe(418);
  expect((await post('/', {})).status).toBe(418);
  expect((await fetch(`${url}/?shown=messages`)).status).toBe(200);
});

test('the site refuses requests of another origin', async () => {
  const { post } = await serving();
  const { status } = await post('/debugger/send', { type: 'track' }, { Origin: 'https://evil.example' });
  expect(status).toBe(403);
});

test.each([
  ['a form', 'type=track', 'application/x-www-form-urlencoded', 415],
  ['a list', [], 'application/json', 400],
  ['more than 256 KB', { text: 'x'.repeat(300_000) }, 'application/json', 413],
])('the site refuses %s as a test event', async (_, body, type, status) => {
  const { post } = await serving();
  expect((await post('/debugger/send', body, { 'Content-Type': type })).status).toBe(status);
});

test('the site answers with the result of a test event, which must not be cached', async () => {
  const { post } = await serving();
  const answer = await post('/debugger/send', { type: 'track' });
  expect(await answer.json()).toEqual({ isDelivered: true, text: 'sent track' });
  expect(answer.headers.get('cache-control')).toContain('no-store');
});

test('the site replays a delivery if id and endpoint are given and messages are forwarded', async () => {
  const replayed: string[] = [];
  const deliveries = {
    replay: async (id: string, endpoint: string) => `Sent again, ${replayed.push(id + endpoint)}`,
    clear: async () => {},
  };
  const { post } = await serving({ deliveries });
  expect((await post('/debugger/replay', { id: 'm1' })).status).toBe(422);
  expect(await (await post('/debugger/replay', { id: 'm1', endpoint: '/hook' })).json()).toEqual({
    text: 'Sent again, 1',
  });
  expect(replayed).toEqual(['m1/hook']);
  const { post: postAlone } = await serving();
  expect((await postAlone('/debugger/replay', { id: 'm1', endpoint: '/hook' })).status).toBe(409);
});

test('the site answers 500 with the reason when an action fails', async () => {
  const { post } = await serving({ send: () => Promise.reject(new Error('no more room')) });
  const answer = await post('/debugger/send', { type: 'track' });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining('no more room') });
});

test('the site clears the feed and the forwarded deliveries', async () => {
  let cleared = 0;
  const deliveries = { replay: async () => '', clear: async () => void cleared++ };
  const { feed, post } = await serving({ deliveries });
  feed.add({ kind: 'message', receivedAt: '', source: '', bytes: 1, message: {} });
  expect((await post('/debugger/clear', {})).status).toBe(204);
  expect([feed.after(0, 10).length, cleared]).toEqual([0, 1]);
});
