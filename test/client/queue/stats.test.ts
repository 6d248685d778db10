import { expect, test } from 'vitest';
import { StatsCounter } from '../../../src/client/queue/stats.js';
import { client, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

test('pending has the number of waiting messages and their bytes until they have ended', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
  analytics.track(track());
  analytics.track(track());
  expect(analytics.pending.messages).toBe(2);
  await analytics.flush();
  const bytes = collector.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
});

test('pending counts messages in bytes of UTF-8 JSON', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  analytics.track(track('€'));
  const { bytes } = analytics.pending;
  await analytics.flush();
  expect(bytes).toBe(Buffer.byteLength(JSON.stringify(collector.messages[0])));
});

test('stats() keeps accepted + recovered = delivered + lost + pending after each possible step of a message', () => {
  const counter = new StatsCounter();
  const steps: (() => void)[] = [
    () => counter.accept(10),
    () => counter.accept(20),
    () => counter.deliver(1, 10),
    () => counter.lose(20, 'A'),
    () => counter.refuse('B'),
  ];
  for (const step of steps) {
    step();
    const { accepted, recovered, delivered, lost, pending } = counter.stats();
    expect(accepted + recovered).toBe(delivered + lost + pending);
  }
  expect(counter.stats()).toMatchObject({ accepted: 3, recovered: 0, delivered: 1, lost: 2, pending: 0 });
  expect(counter.stats().lostByCode).toEqual({ A: 1, B: 1 });
  expect(counter.pendingBytes).toBe(0);
});

test('stats() returns a copy that later messages do not change', () => {
  const counter = new StatsCounter();
  counter.refuse('A');
  const before = counter.stats();
  counter.refuse('A');
  expect(before).toMatchObject({ lost: 1, lostByCode: { A: 1 } });
});
