import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type DevServer, startDev } from '../../../src/cli/dev/dev-server.js';
import { Analytics } from '../../../src/client/analytics.js';
import type { FeedEntry } from '../../../src/dashboard/server/entry.js';
import { verify } from '../../../src/signature/x-signature.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';

const PAGE = '<style>a{}</style><script type="module">1</script>';

let server: DevServer;
beforeEach(async () => {
  server = await startDev({ port: 0, host: '127.0.0.1', writeKey: 'dev' }, PAGE);
});
afterEach(() => server.close());

/** Reads the feed until it has this many entries. */
async function entriesOf(
  count: number,
  lastEventId = '',
): Promise<{ entries: FeedEntry[]; lastEventId: string; text: string }> {
  const abort = new AbortController();
  const headers = { 'Last-Event-ID': lastEventId };
  const { body } = await fetch(`${server.url}/debugger/feed`, { headers, signal: abort.signal });
  const entries: FeedEntry[] = [];
  let [read, last] = ['', ''];
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += chunk;
    const events = [...read.matchAll(/event: entries\nid: (.*)\ndata: (.*)\n\n/g)];
    entries.splice(0, entries.length, ...events.flatMap(([, , data]) => JSON.parse(data ?? '')));
    last = events.at(-1)?.[1] ?? '';
    if (entries.length >= count) break;
  }
  abort.abort();
  return { entries, lastEventId: last, text: read };
}

async function send(count: number): Promise<void> {
  const analytics = new Analytics({ writeKey: 'dev', endpoint: server.url });
  for (let number = 0; number < count; number++)
    analytics.track({ userId: 'u1', event: 'Counted', properties: { number } });
  // close() has a deadline, so the messages are flushed first.
  await analytics.flush();
  await analytics.close();
}

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body, headers });

const json = { 'Content-Type': 'application/json' };
const asDev = { Authorization: `Basic ${Buffer.from('dev:').toString('base64')}` };

test('the feed of dev shows each message and its request', async () => {
  await send(3);
  const { entries } = await entriesOf(4);
  expect(entries).toMatchObject(
    [
      { seq: 1, kind: 'message', source: 'dev', message: { event: 'Counted', properties: { number: 0 } } },
      { seq: 2, kind: 'message' },
      { seq: 3, kind: 'message' },
      {
        seq: 4,
        kind: 'batch',
        path: '/v1/batch',
        messages: 3,
        attempt: 1,
        status: 200,
        client: /eventferry/ as never,
      },
    ].map((entry) => ({
      ...entry,
      ...('client' in entry ? { client: expect.stringContaining('eventferry/') } : {}),
    })),
  );
});

test('the feed of dev shows each refused message with the reason and its text', async () => {
  await post('/v1/batch', JSON.stringify({ batch: [{ type: 'track', userId: 'u1' }] }), asDev);
  await post('/v1/batch', '{"batch":[', { ...asDev, 'X-Retry-Count': '2' });
  const { entries } = await entriesOf(4);
  expect(entries.filter(({ kind }) => kind === 'rejected')).toMatchObject([
    { code: 'missing_event', raw: '{"type":"track","userId":"u1"}' },
    { code: 'invalid_json', raw: '{"batch":[' },
  ]);
  expect(entries.filter(({ kind }) => kind === 'batch')).toMatchObject([
    { status: 400, rejected: 1, attempt: 1 },
    { status: 400, attempt: 3 },
  ]);
});

test('the feed of dev continues after the last event that a reader has, without loss or repetition', async () => {
  await send(500);
  const before = await entriesOf(300);
  await send(10);
  const wanted = 512 - before.entries.length;
  const after = await entriesOf(wanted, before.lastEventId);
  const numbers = [...before.entries, ...after.entries].map(({ seq }) => seq);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
  expect(after.text).not.toContain('event: gap');
});

test('the feed of dev tells a reader of a gap when old events were dropped', async () => {
  await send(10);
  const { lastEventId } = await entriesOf(11);
  await send(10_050);
  const { text: read } = await entriesOf(1, lastEventId);
  expect(read).toContain('event: gap');
});

test('the feed of dev starts from the beginning for a reader of an earlier process', async () => {
  await send(2);
  expect((await entriesOf(3, 'another-epoch:2')).entries[0]).toMatchObject({ seq: 1 });
});

test('the feed of dev contains only new entries after clear', async () => {
  await send(2);
  expect((await post('/debugger/clear', '')).status).toBe(204);
  await send(1);
  expect((await entriesOf(2)).entries.map(({ seq }) => seq)).toEqual([4, 5]);
});

test('the page of dev may run its own script and load nothing else', async () => {
  const response = await fetch(server.url);
  expect(await response.text()).toBe(PAGE);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'sha256-[\w+/]{43}='/);
  expect(policy).toMatch(/style-src 'sha256-[\w+/]{43}='/);
  expect(policy).not.toContain('unsafe');
});

test('the collector of dev accepts messages from other sites, but gives them no access to the response', async () => {
  const response = await post('/v1/track', '{"userId":"u1","event":"x"}', {
    ...asDev,
    Origin: 'http://shop.example',
  });
  expect([response.status, await response.json()]).toEqual([200, { success: true }]);
});

test.each([
  ['GET', '/', { host: 'evil.example' }],
  ['GET', '/debugger/feed', { host: 'evil.example' }],
  ['GET', '/debugger/feed', { origin: 'http://evil.example' }],
  ['POST', '/debugger/clear', { origin: 'http://evil.example' }],
  ['POST', '/debugger/send', { origin: 'null', 'content-type': 'application/json' }],
])('the page of dev refuses %s %s with %j', async (method, path, headers) => {
  const { hostname, port } = new URL(server.url);
  const answer = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const asking = request({ hostname, port, path, method, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    asking.on('error', reject).end();
  });
  expect(answer).toEqual({
    status: 403,
    body: '{"code":"other_origin","message":"This page is for this machine only."}',
  });
});

test('a test event of dev goes through the collector', async () => {
  const body = JSON.stringify({ type: 'group', userId: 'u1', groupId: 'g1' });
  const result = (await (await post('/debugger/send', body, json)).json()) as { text: string };
  expect(result).toEqual({ isDelivered: true, text: expect.stringMatching(/^[\w-]{36}$/) });
  expect((await entriesOf(2)).entries[0]).toMatchObject({ message: { type: 'group', messageId: result.text } });
});

test.each([
  ['{"type":"track","userId":"u1"}', 'track.event: expected a non-empty string, got undefined'],
  ['{"type":"constructor"}', 'Choose a type.'],
])('a test event %s is answered with %s', async (body, reason) => {
  expect(await (await post('/debugger/send', body, json)).json()).toEqual({ isDelivered: false, text: reason });
});

test('a test event of dev is refused as a form, as invalid JSON and when too large', async () => {
  const large = JSON.stringify({ type: 'track', event: 'x'.repeat(300_000) });
  const answers = await Promise.all([
    post('/debugger/send', 'a=1', { 'Content-Type': 'text/plain' }),
    post('/debugger/send', '{', json),
    post('/debugger/send', large, json),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([415, 400, 413]);
});

/** Starts a server that forwards to these webhooks. */
async function startWith(...webhook: string[]): Promise<DevServer> {
  const forwarding = await startDev({ port: 0, host: '127.0.0.1', writeKey: 'dev', webhook, secret: 'shhh' }, PAGE);
  onTestFinished(() => forwarding.close());
  return forwarding;
}

test('dev forwards collected messages to a webhook, signed', async () => {
  const endpoint = await startEndpoint(200);
  const forwarding = await startWith(endpoint.url);
  const analytics = new Analytics({ writeKey: 'dev', endpoint: forwarding.url });
  analytics.track({ userId: 'u1', event: 'Paid', properties: { total: 42 } });
  await analytics.close();
  await endpoint.has(1);
  const [first] = endpoint.received;
  expect(JSON.parse(String(first?.body))).toMatchObject({ type: 'track', event: 'Paid', properties: { total: 42 } });
  expect(verify(first?.body ?? '', String(first?.headers['x-signature']), 'shhh')).toBe(true);
});

test('the feed of dev starts with the state of the webhooks', async () => {
  const endpoint = await startEndpoint(200);
  const forwarding = await startWith(endpoint.url);
  const { body } = await fetch(`${forwarding.url}/debugger/feed`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  while (!read.includes('event: endpoints')) read += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  expect(read).toContain('"isForwarding":true');
  expect(read).toContain(`data: [{"url":"${endpoint.url}","state":"closed"`);
});

test('dev replays a dead delivery on request of the page', async () => {
  const endpoint = await startEndpoint(404, 200);
  const forwarding = await startWith(endpoint.url);
  const analytics = new Analytics({ writeKey: 'dev', endpoint: forwarding.url });
  const { messageId: id } = analytics.track({ userId: 'u1', event: 'Paid' });
  await analytics.close();
  const replay = (given: object, headers: Record<string, string> = json): Promise<Response> =>
    fetch(`${forwarding.url}/debugger/replay`, { method: 'POST', headers, body: JSON.stringify(given) });
  const replayed = async (): Promise<unknown> => (await replay({ id, endpoint: endpoint.url })).json();
  await expect.poll(replayed).toEqual({ text: 'Sent again' });
  await endpoint.has(2);
  const refusals = [
    await replay({ id }),
    await replay({ id, endpoint: endpoint.url }, { 'Content-Type': 'text/plain' }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([422, 415]);
});
