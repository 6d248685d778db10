import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { takeApart } from '../../../src/client/platform/node.js';
import { BatchDelivery } from '../../../src/client/queue/batch-delivery.js';
import { LiveBatches } from '../../../src/client/queue/live-batches.js';
import { StatsCounter } from '../../../src/client/queue/stats.js';
import type { Sending } from '../../../src/client/transport/batch-sender.js';
import { client, next, track } from '../../support/client.js';
import { FakeClock } from '../../support/fake-clock.js';
import { serve } from '../../support/loopback.js';
import { type Answer, ok, reset, sink, status } from '../../support/sink.js';
import { batchOf, delivered } from './collector.js';

/** Returns what happens to a message if the collector responds like this once, and then accepts everything. */
async function outcomeOf(answer: Answer) {
  const collector = await sink(answer);
  const { analytics, clock } = client({ endpoint: collector.url });
  const retried = next(analytics, 'retry').then((retry) => {
    clock.advance(retry.delayMs);
    return retry;
  });
  const receipt = analytics.track(track());
  const flushed = analytics.flush();
  const retry = await Promise.race([retried, flushed.then(() => undefined)]);
  await flushed;
  const error = await receipt.delivered.catch((reason: unknown) => reason);
  return { retry, error, requests: collector.requests, stats: analytics.stats() };
}

test.each([200, 201, 202, 204])('a message with the response %i is delivered', async (code) => {
  const { error, requests, stats } = await outcomeOf(code);
  expect(error).toBeUndefined();
  expect(requests).toHaveLength(1);
  expect(stats).toMatchObject({ accepted: 1, delivered: 1, lost: 0, pending: 0, requests: 1, retries: 0 });
});

test.each([408, 410, 425, 429, 460, 500, 502, 503, 504, 520])(
  'a message with the response %i is sent again until it is delivered',
  async (code) => {
    const { error, retry, requests, stats } = await outcomeOf(code);
    expect(error).toBeUndefined();
    expect(retry?.error).toMatchObject({ code: 'EVENTFERRY_ANSWER', status: code });
    expect(requests.map(({ headers }) => headers.get('x-retry-count'))).toEqual([null, '1']);
    expect(stats).toMatchObject({ delivered: 1, requests: 2, retries: 1 });
  },
);

test('a message whose connection breaks is sent again until it is delivered', async () => {
  const { error, retry, stats } = await outcomeOf(reset);
  expect(error).toBeUndefined();
  expect(retry?.error.code).toBe('EVENTFERRY_CONNECTION');
  expect(stats).toMatchObject({ delivered: 1, retries: 1 });
});

test.each([301, 302, 307, 308, 401, 402, 403, 404, 405, 415, 422, 501, 505, 511])(
  'a message with the response %i is lost, with the status and the text of the response',
  async (code) => {
    const { error, requests, stats } = await outcomeOf(() => status(code, { Location: '/elsewhere' }, 'because'));
    expect(error).toMatchObject({ code: 'EVENTFERRY_REJECTED', status: code, answer: 'because' });
    expect(requests).toHaveLength(1);
    expect(stats).toMatchObject({
      accepted: 1,
      delivered: 0,
      lost: 1,
      pending: 0,
      lostByCode: { EVENTFERRY_REJECTED: 1 },
    });
  },
);

test.each([400, 413])('a batch with the response %i is split until the bad message is sent alone', async (code) => {
  const refusal: Answer = ({ batch }) =>
    batch.some(({ messageId }) => messageId === 'bad') ? status(code, {}, 'bad one') : ok();
  const collector = await sink(...Array<Answer>(8).fill(refusal));
  const { analytics, lost } = client({ endpoint: collector.url });
  const receipts = ['a', 'b', 'bad', 'c', 'd'].map((messageId) => analytics.track({ ...track(), messageId }));
  await analytics.flush();
  expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['a', 'b', 'c', 'd']);
  await expect(receipts[2]?.delivered).rejects.toMatchObject({
    code: 'EVENTFERRY_REJECTED',
    status: code,
    answer: 'bad one',
  });
  await expect(receipts[3]?.delivered).resolves.toBeUndefined();
  expect(lost.map(({ message }) => message?.messageId)).toEqual(['bad']);
});

test('a 200 that names refused messages loses exactly those', async () => {
  const rejected = [{ index: 1, messageId: 'b', code: 'TOO_LARGE', message: 'is too large' }];
  const collector = await sink(() => Response.json({ success: true, rejected }));
  const { analytics, lost } = client({ endpoint: collector.url });
  for (const messageId of ['a', 'b', 'c']) analytics.track({ ...track(), messageId });
  await analytics.flush();
  expect(lost).toMatchObject([{ message: { messageId: 'b' }, error: { answer: 'TOO_LARGE: is too large' } }]);
  expect(analytics.stats()).toMatchObject({ delivered: 2, lost: 1 });
});

test('a 200 whose list has an id and an index of different messages delivers nothing, and smaller parts are sent', async () => {
  const rejected = [{ index: 1, messageId: 'a', code: 'BAD' }];
  const collector = await sink(() => Response.json({ rejected }));
  const { analytics, lost } = client({ endpoint: collector.url });
  for (const messageId of ['a', 'b']) analytics.track({ ...track(), messageId });
  await analytics.flush();
  expect(collector.requests.map(({ batch }) => batch.length)).toEqual([2, 1, 1]);
  expect(lost).toEqual([]);
});

test('a 200 whose list of refused messages is malformed delivers nothing, and smaller parts are sent', async () => {
  const collector = await sink(() => new Response('{"rejected":[{"index":0},{"ind'));
  const { analytics, lost } = client({ endpoint: collector.url });
  for (const messageId of ['a', 'b']) analytics.track({ ...track(), messageId });
  await analytics.flush();
  expect(collector.requests.map(({ batch }) => batch.length)).toEqual([2, 1, 1]);
  expect(lost).toEqual([]);
  expect(analytics.stats()).toMatchObject({ delivered: 2, requests: 3, retries: 0 });
});

test('a 200 that refuses each of 2,500 messages with a long reason is read completely', async () => {
  const rejected = Array.from({ length: 2_500 }, (_, index) => ({
    index,
    messageId: `m${index}`.padEnd(100, '-'),
    code: 'BAD',
    message: 'x'.repeat(2_000),
  }));
  const collector = await sink(() => Response.json({ rejected }));
  const { analytics, lost } = client({ endpoint: collector.url, flushAt: 2_500 });
  for (const { messageId } of rejected) analytics.track({ userId: 'u', event: 'e', messageId });
  await analytics.flush();
  expect(collector.requests).toHaveLength(1);
  expect(lost).toHaveLength(2_500);
  expect(lost[2_499]?.error.message.length).toBeLessThan(300);
});

test('if a collector refuses everything with 400, the client waits as in an outage and loses no message', async () => {
  let isWrong = true;
  const refusal: Answer = () => (isWrong ? status(400, {}, '400 Bad Request') : ok());
  const collector = await sink(...Array<Answer>(100).fill(refusal));
  const { analytics, clock, lost } = client({ endpoint: collector.url });
  for (let i = 0; i < 12; i++) analytics.track(track());
  const flushed = analytics.flush();
  const delays: number[] = [];
  for (let i = 0; i < 3; i++) {
    const retry = await next(analytics, 'retry');
    expect(retry).toMatchObject({
      messages: 12,
      attempt: i + 1,
      error: { code: 'EVENTFERRY_REFUSES_ALL', status: 400, answer: '400 Bad Request' },
    });
    delays.push(retry.delayMs);
    expect(analytics.stats()).toMatchObject({ accepted: 12, delivered: 0, lost: 0, pending: 12 });
    isWrong = i < 2;
    clock.advance(retry.delayMs);
  }
  await flushed;
  expect(delays).toEqual([250, 500, 1_000]);
  expect(lost).toEqual([]);
  expect(collector.messages).toHaveLength(12);
});

test('messages that a collector refuses with 400 until the end of `retryFor` are lost, with the refusal as the cause', async () => {
  const collector = await sink(...Array<Answer>(100).fill(400));
  const { analytics, lost } = client({ endpoint: collector.url, retryFor: 0 });
  analytics.track(track());
  analytics.track(track());
  await analytics.flush();
  expect(lost).toMatchObject(
    Array(2).fill({ error: { code: 'EVENTFERRY_RETRIES_EXHAUSTED', cause: { code: 'EVENTFERRY_REFUSES_ALL' } } }),
  );
});

test('at the start of a program, a waiting message shows whether the collector refuses only bad messages or everything', async () => {
  const refusal: Answer = ({ batch }) =>
    batch.some(({ messageId }) => messageId.startsWith('bad')) ? status(400) : ok();
  const collector = await sink(...Array<Answer>(20).fill(refusal));
  const { analytics, clock, lost } = client({ endpoint: collector.url });
  for (const messageId of ['bad 1', 'bad 2']) analytics.track({ ...track(), messageId });
  const flushed = analytics.flush();
  const { delayMs } = await next(analytics, 'retry');
  const receipt = analytics.track({ ...track(), messageId: 'good' });
  clock.advance(delayMs);
  await flushed;
  await analytics.flush();
  await receipt.delivered;
  expect(lost.map(({ message, error }) => [message?.messageId, error.code])).toEqual([
    ['bad 1', 'EVENTFERRY_REJECTED'],
    ['bad 2', 'EVENTFERRY_REJECTED'],
  ]);
});

test('a collector that starts to refuse everything is tested with the last message it accepted, and no message is lost', async () => {
  const collector = await sink(200, ...Array<Answer>(4).fill(400));
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track({ ...track(), messageId: 'good' });
  await analytics.flush();
  analytics.track({ ...track(), messageId: 'a' });
  analytics.track({ ...track(), messageId: 'b' });
  const flushed = analytics.flush();
  clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  const ids = collector.requests.map(({ batch }) => batch.map(({ messageId }) => messageId).join());
  expect(ids).toEqual(['good', 'a,b', 'a', 'b', 'good', 'a,b']);
  expect(analytics.stats()).toMatchObject({ delivered: 3, lost: 0 });
});

test.each([
  ['seconds', '7', 7_000],
  ['an HTTP date', 'Fri, 20 Nov 2026 12:00:09 GMT', 9_000],
  ['more than five minutes', '3600', 300_000],
])('Retry-After: %s is the shortest time until the next attempt', async (_, header, delayMs) => {
  const { retry, error } = await outcomeOf(() =>
    status(503, { 'Retry-After': header, Date: 'Fri, 20 Nov 2026 12:00:00 GMT' }),
  );
  expect(retry?.delayMs).toBe(delayMs);
  expect(error).toBeUndefined();
});

test('an outage pauses all sending, and afterwards a single request goes first', async () => {
  let underWay = 0;
  let most = 0;
  let answers = 0;
  const url = await serve((request, response) => {
    most = Math.max(most, ++underWay);
    request.resume().on('end', () =>
      setImmediate(() => {
        underWay--;
        response.writeHead(++answers <= 4 ? 503 : 200).end('{}');
        if (answers === 4) most = 0;
      }),
    );
  });
  const { analytics, clock } = client({ endpoint: url, concurrency: 4, maxBatchMessages: 1 });
  for (let i = 0; i < 4; i++) analytics.track(track());
  const flushed = analytics.flush();
  const retries = [];
  for (let i = 0; i < 4; i++) retries.push(await next(analytics, 'retry'));
  expect(retries.map(({ delayMs }) => delayMs)).toEqual([250, 250, 250, 250]);
  const delivered = next(analytics, 'delivered');
  clock.advance(250);
  await delivered;
  expect(most).toBe(1);
  await flushed;
  expect(analytics.stats()).toMatchObject({ delivered: 4, lost: 0 });
});

test('every attempt has its own sentAt', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track(track());
  const flushed = analytics.flush();
  const { delayMs } = await next(analytics, 'retry');
  clock.advance(delayMs);
  await flushed;
  expect(collector.requests.map(({ sentAt }) => sentAt)).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.250Z',
  ]);
  const [first, second] = collector.requests;
  expect(second).toMatchObject({ messageId: first?.messageId, batch: first?.batch });
});

test('a request without a response is given up after requestTimeout and sent again', async () => {
  let hangs = true;
  const url = await serve((request, response) => {
    request.resume();
    if (!hangs) response.end('{}');
    else clock.advance(700);
    hangs = false;
  });
  const { analytics, clock } = client({ endpoint: url, requestTimeout: 700 });
  analytics.track(track());
  const flushed = analytics.flush();
  const retry = await next(analytics, 'retry');
  expect(retry.error.message).toBe('No answer within 700 ms to a request of 307 bytes');
  clock.advance(retry.delayMs);
  await flushed;
  expect(analytics.stats()).toMatchObject({ delivered: 1, retries: 1 });
});

test('when the retries are used up, the messages are lost with the last failure', async () => {
  const collector = await sink(503, 503);
  const { analytics, clock, lost } = client({ endpoint: collector.url, maxRetries: 1 });
  analytics.track(track());
  const flushed = analytics.flush();
  clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  expect(lost).toMatchObject([
    { error: { code: 'EVENTFERRY_RETRIES_EXHAUSTED', attempts: 2, cause: { status: 503 } } },
  ]);
});

test('a retry is counted when it is sent, like a request', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track(track());
  const flushed = analytics.flush();
  const { delayMs } = await next(analytics, 'retry');
  expect(analytics.stats()).toMatchObject({ pending: 1, requests: 1, retries: 0 });
  clock.advance(delayMs);
  await flushed;
  expect(analytics.stats()).toMatchObject({ delivered: 1, requests: 2, retries: 1 });
});

test('the event of a failed attempt has the number of messages of its batch that have not ended', async () => {
  const collector = await sink(413, 200, 503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 4 });
  for (let i = 0; i < 4; i++) analytics.track(track());
  const retry = await next(analytics, 'retry');
  expect(retry.messages).toBe(2);
  clock.advance(retry.delayMs);
  await analytics.flush();
  expect(analytics.stats()).toMatchObject({ delivered: 4, pending: 0 });
});

/** Delivers an unloaded batch, although the disk cannot return these of its messages. */
async function deliverStored(messages: number, unreadable: number[]) {
  const batch = batchOf(messages);
  const stored = Array.from({ length: messages }, (_, index) => batch.copyOf(index));
  batch.unload();
  const [sent, told]: [unknown[], string[]] = [[], []];
  const counter = new StatsCounter();
  const sending = {
    repetitions: 0,
    pass: () => undefined,
    post: async (body) => {
      sent.push(JSON.parse(String(Buffer.from(body))).batch);
      return delivered;
    },
    finish() {},
  } satisfies Partial<Sending>;
  const delivery = new BatchDelivery({
    counter,
    reporter: { flush: () => ({}), retry() {}, refused: (_, { code }) => told.push(code) },
    sender: { begin: () => sending as unknown as Sending },
    clock: new FakeClock(),
    takeApart,
    queue: { noteRoom() {} },
    live: new LiveBatches({ counter, reporter: { ended() {} }, queue: { noteRoom() {} } }),
    journal: {
      async load() {
        batch.load(stored);
        return { indexes: unreadable, error: new JournalError('EVENTFERRY_JOURNAL_DAMAGED', 'journal', 'gone') };
      },
    },
  });
  await delivery.deliver(batch);
  return { batch, sent, told, counter };
}

test('if some messages of a batch on disk cannot be read, they are lost, and the others are sent in one request', async () => {
  const { batch, sent, told, counter } = await deliverStored(4, [1, 2]);
  expect([sent, told]).toEqual([[[0, 3]], ['EVENTFERRY_JOURNAL_DAMAGED', 'EVENTFERRY_JOURNAL_DAMAGED']]);
  expect([0, 1, 2, 3].map((index) => batch.results.lossOf(index)?.code)).toEqual([
    undefined,
    'EVENTFERRY_JOURNAL_DAMAGED',
    'EVENTFERRY_JOURNAL_DAMAGED',
    undefined,
  ]);
  expect(counter).toMatchObject({ delivered: 2, lost: 2 });
});

test('if no message of a batch on disk can be read, nothing is sent', async () => {
  const { batch, sent, counter } = await deliverStored(2, [0, 1]);
  expect([sent, batch.isOver]).toEqual([[], true]);
  expect(counter).toMatchObject({ delivered: 0, lost: 2 });
});
