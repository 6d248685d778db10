import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleDelivery } from '../../src/webhooks/testing/index.js';
import { secret, setUp, track } from './receiving.js';

test('a body of 65536 bytes is accepted, and one of 65537 is answered 413', async () => {
  const { receive } = setUp();
  const empty = sampleDelivery('track', { fields: { pad: '' } }).body.length;
  const sized = (bytes: number) => sampleDelivery('track', { secret, fields: { pad: 'x'.repeat(bytes - empty) } });
  expect((await receive(sized(65_536))).status).toBe(200);
  expect((await receive(sized(65_537))).status).toBe(413);
});

test('a body longer than the limit is answered 413 even if its reader ignores the limit', async () => {
  const body = async () => new Uint8Array(65_537);
  expect((await setUp().receive({ ...track, body })).status).toBe(413);
});

test('a reader may return the body without a promise, and one that throws at once is answered 500', async () => {
  const { receiver, failures } = setUp();
  const statusOf = async (body: () => unknown) =>
    (await receiver.receive({ ...track, body: body as never })).answer.status;
  expect(await statusOf(() => track.body)).toBe(200);
  const boom = () => {
    throw new Error('boom');
  };
  expect(await statusOf(boom)).toBe(500);
  expect(failures[0]?.[0]).toMatchObject({ message: 'boom' });
});

test('a parsed object instead of the bytes of the body is answered 500 with advice, and reported to onError', async () => {
  const { receiver, failures } = setUp();
  const { answer } = await receiver.receive({ ...track, body: JSON.parse(track.body) });
  expect(answer).toMatchObject({ status: 500, body: expect.stringContaining('express.raw(') });
  expect(failures[0]?.[0]).toMatchObject({ code: 'EVENTFERRY_WEBHOOKS_RAW_BODY' });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a body that does not arrive within 5 s is answered 408, and the reader's signal aborts", async () => {
  const { receiver } = setUp();
  let stopped: AbortSignal | undefined;
  const reception = receiver.receive({
    ...track,
    body: (_, signal) => {
      stopped = signal;
      return new Promise(() => {});
    },
  });
  await vi.advanceTimersByTimeAsync(5000);
  expect((await reception).answer).toMatchObject({ status: 408, headers: { connection: 'close' } });
  expect(stopped?.aborted).toBe(true);
});
