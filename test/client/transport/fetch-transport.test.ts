import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchTransport } from '../../../src/client/transport/fetch-transport.js';
import { AbortableRequest } from '../../../src/client/transport/http-transport.js';
import { sink, status } from '../../support/sink.js';

const body = new TextEncoder().encode('{"batch":[]}');
const request = (url: string, headers: Record<string, string> = {}) =>
  new AbortableRequest(url, { 'User-Agent': 'eventferry', ...headers }, body);

const noPage = { isOnPage: false, outlivePage: () => undefined, hasPageEnded: () => false };

/** Records the arguments of `fetch`. */
function watchFetch(answer = new Response('{}')) {
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test('the fetch transport posts the body and returns the response', async () => {
  const collector = await sink(() => status(503, { 'Retry-After': '7' }, 'busy'));
  const answer = await fetchTransport(noPage).send(request(collector.url));
  expect(answer).toMatchObject({ status: 503, body: 'busy' });
  expect((answer.headers as Headers).get('retry-after')).toBe('7');
  expect(collector.requests[0]?.headers.get('user-agent')).toBe('eventferry');
});

test('aborting a request aborts its fetch', async () => {
  const collector = await sink(() => new Promise(() => {}));
  const outgoing = request(collector.url);
  const answer = fetchTransport(noPage).send(outgoing);
  outgoing.abort(new Error('enough'));
  await expect(answer).rejects.toThrow('enough');
});

const failingText = (cause?: unknown) =>
  Object.assign(new Response('', { headers: { 'content-encoding': 'gzip' } }), {
    text: () => Promise.reject(new TypeError('terminated', { cause })),
  });

test('a response that does not match its encoding counts as truncated', async () => {
  watchFetch(failingText(Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' })));
  expect(await fetchTransport(noPage).send(request('http://c.test'))).toMatchObject({ status: 200, truncated: true });
});

test.each([undefined, Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })])(
  'an encoded response that breaks off counts as no response: %s',
  async (cause) => {
    watchFetch(failingText(cause));
    await expect(fetchTransport(noPage).send(request('http://c.test'))).rejects.toThrow('terminated');
  },
);

test('on a page the transport leaves the User-Agent to the browser', async () => {
  const fetch = watchFetch();
  await fetchTransport({ ...noPage, isOnPage: true }).send(request('http://c.test', { 'X-A': '1' }));
  expect(fetch.mock.calls[0]?.[1]?.headers).toEqual({ 'X-A': '1' });
});

test('a request outlives its page if there is room, and releases the room afterwards', async () => {
  const fetch = watchFetch();
  const release = vi.fn();
  const outlivePage = vi.fn(() => release);
  await fetchTransport({ ...noPage, isOnPage: true, outlivePage }).send(
    request('http://c.test', { 'X-Retry-Count': '1' }),
  );
  expect(outlivePage.mock.calls).toEqual([[body.length, true]]);
  expect(fetch.mock.calls[0]?.[1]?.keepalive).toBe(true);
  expect(release).toHaveBeenCalledOnce();
});

test('a request without a response releases its room', async () => {
  const release = vi.fn();
  vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const sent = fetchTransport({ ...noPage, outlivePage: () => release }).send(request('http://c.test'));
  await expect(sent).rejects.toThrow('Failed to fetch');
  expect(release).toHaveBeenCalledOnce();
});

test.each([
  ['not reported if it may outlive the page', () => () => {}, 'nothing yet'],
  ['reported as a failure if there was no room to outlive it', () => undefined, 'Failed to fetch'],
])('a request that fails as its page ends is %s', async (_, outlivePage, expected) => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const transport = fetchTransport({ isOnPage: true, outlivePage, hasPageEnded: () => true });
  const sent = transport.send(request('http://c.test')).catch((error: Error) => error.message);
  const turn = new Promise((resolve) => setImmediate(() => resolve('nothing yet')));
  expect(await Promise.race([sent, turn])).toBe(expected);
});

test('a redirect whose status is hidden from a page still counts as a redirect', async () => {
  const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
  watchFetch(hidden);
  expect((await fetchTransport(noPage).send(request('http://c.test'))).status).toBe(302);
});
