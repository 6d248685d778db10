import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { AnalyticsEvents, AnalyticsOptions } from '../../src/fetch/index.js';
import { settled } from '../support/fake-clock.js';
import { type Answer, sink } from '../support/sink.js';
import { loadWebClient } from '../support/web-client.js';

const listeners: Record<string, (event: object) => void> = {};
const document = {
  visibilityState: 'visible',
  addEventListener(name: string, listener: () => void) {
    listeners[name] = listener;
  },
};

// The client checks for a page when it is loaded.
vi.stubGlobal('document', document);
vi.stubGlobal('addEventListener', document.addEventListener);
const { Analytics } = await loadWebClient();
afterAll(() => vi.unstubAllGlobals());

beforeEach(() => {
  document.visibilityState = 'visible';
});

function open(options: Partial<AnalyticsOptions> & { endpoint: string }) {
  const fetched = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => fetched.mockRestore());
  const analytics = new Analytics({ writeKey: 'key', flushAt: 1_000, ...options });
  const lost: AnalyticsEvents['lost'][] = [];
  analytics.on('lost', (event) => lost.push(event));
  onTestFinished(async () => void (await analytics.close({ timeout: 0 })));
  const outliving = () =>
    fetched.mock.calls.map(([, init = {}]) => [(init.body as Uint8Array).length, init.keepalive ?? false] as const);
  return { analytics, lost, outliving };
}

/** A message of about `bytes` bytes. */
const track = (bytes: number) => ({ userId: 'u1', event: 'e', properties: { text: 'x'.repeat(bytes - 200) } });

const hide = (): void => {
  document.visibilityState = 'hidden';
  listeners['visibilitychange']?.({});
};

test('waiting messages are sent when the page is hidden, in a request that outlives it', async () => {
  const collector = await sink();
  const { analytics, lost, outliving } = open({ endpoint: collector.url });
  analytics.track(track(1_000));
  analytics.track(track(1_000));
  hide();
  await settled();
  expect(outliving()).toEqual([[expect.any(Number), true]]);
  await analytics.flush();
  expect([collector.messages.length, lost.length]).toEqual([2, 0]);
});

test('when a page ends, 64 KB are sent, and the rest is lost at once and reported', async () => {
  const collector = await sink();
  const { analytics, lost, outliving } = open({ endpoint: collector.url });
  for (let index = 0; index < 20; index++) analytics.track(track(10_000));
  listeners['pagehide']?.({ persisted: false });
  const { accepted, lost: lostCount, pending } = analytics.stats();
  expect(accepted).toBe(lostCount + pending);
  expect(lost).toHaveLength(lostCount);
  expect(lost[0]?.error.message).toBe('Not delivered: it still waited when the page ended');
  await settled();
  expect(outliving().every(([, keepalive]) => keepalive)).toBe(true);
  const bytes = outliving().reduce((sum, [length]) => sum + length, 0);
  expect(bytes).toBeGreaterThan(40_000);
  expect(bytes).toBeLessThanOrEqual(65_536);
  await analytics.flush();
  expect(collector.messages).toHaveLength(pending);
  expect(analytics.stats()).toMatchObject({ accepted: 20, delivered: pending, lost: 20 - pending, pending: 0 });
});

test('a page that the browser keeps loses nothing, and sends the rest when it resumes', async () => {
  const collector = await sink();
  const { analytics, lost } = open({ endpoint: collector.url });
  for (let index = 0; index < 20; index++) analytics.track(track(10_000));
  listeners['pagehide']?.({ persisted: true });
  await analytics.flush();
  expect([collector.messages.length, lost.length]).toEqual([20, 0]);
});

test('messages that are being sent when the page ends are neither sent twice nor lost', async () => {
  let release = (): void => {};
  const held: Answer = () =>
    new Promise((resolve) => {
      release = () => resolve(Response.json({ success: true }));
    });
  const collector = await sink(held);
  const { analytics, lost, outliving } = open({ endpoint: collector.url });
  for (let index = 0; index < 5; index++) analytics.track(track(10_000));
  const flushed = analytics.flush();
  await expect.poll(() => collector.requests.length).toBe(1);
  analytics.track(track(10_000));
  analytics.track(track(10_000));
  listeners['pagehide']?.({ persisted: false });
  expect(lost).toHaveLength(2);
  release();
  await flushed;
  expect(collector.messages).toHaveLength(5);
  expect(outliving().map(([, keepalive]) => keepalive)).toEqual([true]);
});

test('when a page ends while the collector is down, all messages are lost and reported', async () => {
  const { analytics, lost } = open({ endpoint: 'http://127.0.0.1:1' });
  const failed = new Promise((resolve) => analytics.on('retry', resolve));
  analytics.track(track(1_000));
  void analytics.flush();
  await failed;
  analytics.track(track(1_000));
  listeners['pagehide']?.({ persisted: false });
  expect(lost.map(({ error }) => error.message)).toEqual(
    Array(2).fill(
      expect.stringMatching(/^Not delivered: it still waited when the page ended; the last attempt failed/),
    ),
  );
});

test('the batches of a page are small enough to outlive it', async () => {
  const collector = await sink();
  const { analytics, outliving } = open({ endpoint: collector.url });
  for (let index = 0; index < 20; index++) analytics.track(track(10_000));
  await analytics.flush();
  expect(Math.max(...outliving().map(([bytes]) => bytes))).toBeLessThanOrEqual(60_000);
  expect(outliving().every(([, keepalive]) => keepalive)).toBe(true);
});
