import { expect, test } from 'vitest';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

const track = { userId: 'u1', event: 'Added' };

test('requests fail with the given status, as often as the test asked for', async () => {
  await using captured = captureAnalytics();
  captured.failNext(503, { times: 2 });
  captured.analytics.track(track);
  void captured.analytics.flush();
  await captured.advance(60_000);
  expect(captured.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
  expect(captured.requests.map(({ headers }) => headers['X-Retry-Count'])).toEqual([undefined, '1', '2']);
});

test('the client obeys the headers of a failure', async () => {
  await using captured = captureAnalytics();
  captured.failNext(429, { headers: { 'retry-after': '30' } });
  captured.analytics.track(track);
  void captured.analytics.flush();
  await captured.advance(29_000);
  expect(captured.requests).toHaveLength(1);
  await captured.advance(1_000);
  expect(captured.delivered).toHaveLength(1);
});

test('the body of a failure is the answer in the error', async () => {
  await using captured = captureAnalytics();
  captured.failNext(403, { body: 'no such key' });
  captured.analytics.track(track);
  await captured.analytics.flush();
  expect(captured.lost).toMatchObject([{ error: { code: 'EVENTFERRY_REJECTED', status: 403, answer: 'no such key' } }]);
});

test('a message that is rejected is lost, and the others of its batch are delivered', async () => {
  await using captured = captureAnalytics();
  const [bad, good] = [captured.analytics.track(track), captured.analytics.track(track)];
  captured.reject(bad.messageId, 'unknown plan');
  await captured.analytics.flush();
  expect(captured.lost).toMatchObject([
    { message: { messageId: bad.messageId }, error: { answer: 'rejected: unknown plan' } },
  ]);
  expect(captured.delivered).toMatchObject([{ messageId: good.messageId }]);
  await expect(bad.delivered).rejects.toThrow('unknown plan');
});

test('a message that is rejected alone is lost with its own reason', async () => {
  await using captured = captureAnalytics();
  captured.reject(captured.analytics.track(track).messageId);
  await captured.analytics.flush();
  expect(captured.lost).toMatchObject([{ error: { status: 400, answer: 'rejected: refused by the test' } }]);
  expect(captured.requests).toHaveLength(1);
});

test('requests show what was sent, compressed or not, without the write key', async () => {
  await using captured = captureAnalytics({ writeKey: 'very-secret', gzip: true, headers: { 'X-Team': 'shop' } });
  captured.analytics.track(track);
  await captured.analytics.flush();
  expect(captured.requests).toMatchObject([
    { url: 'http://collector.test/v1/batch', headers: { 'X-Team': 'shop' }, messages: [{ event: 'Added' }] },
  ]);
  const shown = JSON.stringify(captured.requests);
  expect(shown).not.toContain('very-secret');
  expect(shown).not.toContain(Buffer.from('very-secret:').toString('base64'));
});

test.each([99, 600, 200.5, '503'])('failNext refuses %j, which is not an HTTP status', (status) => {
  using captured = captureAnalytics();
  expect(() => captured.failNext(status as number)).toThrow(
    'Expected `failNext` to be called with a status from 100 to 599',
  );
});
