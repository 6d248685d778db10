import { expect, test } from 'vitest';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

test.each(['transport', 'journal', 'proxy', 'tls'])(
  '`%s` would use the network, the disk or signals, and is refused',
  (name) => {
    expect(() => captureAnalytics({ [name]: 'http://somewhere' })).toThrow(
      `Expected \`${name}\` to be left out, got a value. A captured client sends nothing and stores nothing`,
    );
  },
);

test('options of the client are checked as usual', () => {
  expect(() => captureAnalytics({ flushAt: 0 })).toThrow('Expected `flushAt` to be an integer from 1 up, got number 0');
  expect(() => captureAnalytics({ flushAtt: 1 } as object)).toThrow('flushAt');
});

test('a `now` that is not a time is refused', () => {
  expect(() => captureAnalytics({ now: 'noon' })).toThrow('Expected `now` to be a time, got string "noon"');
});

test('a time is accepted in every form', async () => {
  const at = '2026-11-20T12:00:00.000Z';
  for (const now of [at, new Date(at), Date.parse(at)]) {
    await using captured = captureAnalytics({ now });
    captured.analytics.track({ userId: 'u1', event: 'Added' });
    expect(captured.events).toMatchObject([{ timestamp: at }]);
  }
});
