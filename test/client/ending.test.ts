import { describe, expect, test } from 'vitest';
import { client, next, track } from '../support/client.js';
import { serve } from '../support/loopback.js';
import { type Answer, sink } from '../support/sink.js';

const forever: Answer[] = Array<Answer>(100).fill(503);

/** A collector that takes requests and never answers. */
const silent = () => serve((request) => void request.resume());

describe('flush', () => {
  test('resolves when everything accepted before it has ended', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url, maxBatchMessages: 2 });
    for (let i = 0; i < 5; i++) analytics.track(track());
    await analytics.flush();
    expect(collector.messages).toHaveLength(5);
    expect(analytics.stats().pending).toBe(0);
  });

  test('with nothing to send it resolves at once', async () => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
    await analytics.flush();
    expect(analytics.stats().requests).toBe(0);
  });

  test('resolves when messages are lost too: the receipts, events and counters say so', async () => {
    const collector = await sink(401);
    const { analytics, lost } = client({ endpoint: collector.url });
    analytics.track(track());
    await analytics.flush();
    expect(lost).toHaveLength(1);
  });

  test('several at once are fine, and each waits for its own', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const ended: string[] = [];
    analytics.track(track());
    const first = analytics.flush().then(() => ended.push('first'));
    analytics.track(track());
    const second = analytics.flush().then(() => ended.push('second'));
    await Promise.all([first, second]);
    expect(ended).toEqual(['first', 'second']);
    expect(collector.messages).toHaveLength(2);
  });

  test('with a timeout it rejects in time, and what waits is still sent', async () => {
    const collector = await sink(503);
    const { analytics, clock } = client({ endpoint: collector.url }, 0.999);
    const receipt = analytics.track(track());
    const flushed = analytics.flush({ timeout: 100 });
    await next(analytics, 'retry');
    clock.advance(100);
    await expect(flushed).rejects.toMatchObject({ code: 'EVENTFERRY_FLUSH_TIMEOUT', timeoutMs: 100, pending: 1 });
    expect(clock.holds).toBe(0);
    clock.advance(1_000);
    await receipt.delivered;
  });

  test('holds the process for as long as somebody waits for it', async () => {
    const collector = await sink(503);
    const { analytics, clock } = client({ endpoint: collector.url });
    analytics.track(track());
    const flushed = analytics.flush();
    const { delayMs } = await next(analytics, 'retry');
    expect(clock.holds).toBe(1);
    clock.advance(delayMs);
    await flushed;
    expect(clock.holds).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('a timeout of %j is refused', async (timeout) => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
    await expect(analytics.flush({ timeout: timeout as number })).rejects.toMatchObject({
      code: 'EVENTFERRY_INVALID_OPTION',
      option: 'timeout',
    });
    expect(() => analytics.close({ timeout: timeout as number })).toThrow(
      expect.objectContaining({ option: 'timeout' }),
    );
  });
});

describe('close', () => {
  test('delivers what waits and resolves with the final counts', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    analytics.track(track());
    await expect(analytics.close()).resolves.toMatchObject({ accepted: 1, delivered: 1, lost: 0, pending: 0 });
    expect(collector.messages).toHaveLength(1);
  });

  test('twice is fine', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    analytics.track(track());
    const [first, second] = await Promise.all([analytics.close(), analytics.close()]);
    expect(second).toBe(first);
    expect(collector.requests).toHaveLength(1);
  });

  test('a call after it throws, and changes nothing', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const closed = analytics.close();
    expect(() => analytics.track(track())).toThrow(expect.objectContaining({ code: 'EVENTFERRY_CLOSED' }));
    expect(() => analytics.child({ userId: 'u' }).track(track())).toThrow(
      expect.objectContaining({ code: 'EVENTFERRY_CLOSED' }),
    );
    await expect(closed).resolves.toMatchObject({ accepted: 0 });
  });

  test('after ten seconds what is not delivered is lost, and reported', async () => {
    const { analytics, clock, lost } = client({ endpoint: await silent(), requestTimeout: 60_000 });
    analytics.track(track());
    const closed = analytics.close();
    clock.advance(9_999);
    expect(analytics.stats().pending).toBe(1);
    clock.advance(1);
    await expect(closed).resolves.toMatchObject({
      accepted: 1,
      delivered: 0,
      lost: 1,
      pending: 0,
      lostByCode: { EVENTFERRY_ABORTED: 1 },
    });
    expect(lost).toMatchObject([{ message: { type: 'track' }, error: { code: 'EVENTFERRY_ABORTED' } }]);
  });

  test('leaves nothing behind: no timer, no hold, no connection', async () => {
    let closedConnections = 0;
    const url = await serve((request, response) => {
      request.socket.on('close', () => closedConnections++);
      request.resume();
      response.end('{}');
    });
    const { analytics, clock } = client({ endpoint: url });
    analytics.track(track());
    await analytics.close();
    expect(clock.due).toEqual([]);
    expect(clock.holds).toBe(0);
    await expect.poll(() => closedConnections).toBe(1);
  });

  test('in an outage it tries once more at once, instead of waiting the pause out', async () => {
    const collector = await sink(503);
    const { analytics } = client({ endpoint: collector.url, flushAt: 1 });
    analytics.track(track());
    await next(analytics, 'retry');
    await expect(analytics.close()).resolves.toMatchObject({ delivered: 1, lost: 0 });
  });

  test('in an outage the messages behind the first are lost with it at the deadline', async () => {
    const collector = await sink(...forever);
    const { analytics, clock } = client({ endpoint: collector.url, maxBatchMessages: 1 });
    for (let i = 0; i < 3; i++) analytics.track(track());
    const closed = analytics.close({ timeout: 100 });
    await next(analytics, 'retry');
    clock.advance(100);
    await expect(closed).resolves.toMatchObject({ accepted: 3, lost: 3, pending: 0 });
  });

  test('names why the last attempt failed, of what it could not deliver', async () => {
    const collector = await sink(...forever);
    const { analytics, clock, lost } = client({ endpoint: collector.url });
    analytics.track(track());
    const closed = analytics.close({ timeout: 100 });
    await next(analytics, 'retry');
    clock.advance(100);
    await closed;
    const why =
      'it still waited when close() had waited for 100 ms; the last attempt failed: The collector answered 503';
    expect(lost).toMatchObject([
      { error: { code: 'EVENTFERRY_ABORTED', message: `Not delivered: ${why}`, cause: { code: 'EVENTFERRY_ANSWER' } } },
    ]);
  });

  test('names no failure when none preceded', async () => {
    const { analytics, clock, lost } = client({ endpoint: await silent(), requestTimeout: 60_000 });
    analytics.track(track());
    const closed = analytics.close({ timeout: 100 });
    clock.advance(100);
    await closed;
    const message = 'Not delivered: it still waited when close() had waited for 100 ms';
    expect(lost).toMatchObject([{ error: { message } }]);
    expect(lost[0]?.error).not.toHaveProperty('cause');
  });

  test('takes its listeners for signals away', async () => {
    const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const before = listeners();
    const clients = [1, 2].map(() => client({ endpoint: 'http://127.0.0.1:1', closeOnSignal: true }).analytics);
    expect(listeners()).toBe(before + 2);
    for (const analytics of clients) await analytics.close();
    expect(listeners()).toBe(before);
  });

  test('await using closes', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    analytics.track(track());
    await analytics[Symbol.asyncDispose]();
    expect(collector.messages).toHaveLength(1);
    expect(() => analytics.track(track())).toThrow();
  });
});

test('timers do not hold the process: only who waits does', async () => {
  const { analytics, clock } = client({ endpoint: await silent() });
  analytics.track(track());
  expect(clock.due).toContain(5_000);
  expect(clock.holds).toBe(0);
});
