import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleEvents } from '../../src/webhooks/testing/index.js';
import { gate, setUp, track } from './receiving.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('after 4 s the sender gets 202 and the handler continues', async () => {
  const work = gate();
  const { receiver } = setUp({ onEvent: () => work.passed });
  const reception = receiver.receive(track);
  await vi.advanceTimersByTimeAsync(3999);
  expect(await Promise.race([reception, 'none yet'])).toBe('none yet');
  await vi.advanceTimersByTimeAsync(1);
  const { answer, settled } = await reception;
  expect(answer.status).toBe(202);
  expect(await Promise.race([settled, 'at work'])).toBe('at work');
  work.open();
  await expect(settled).resolves.toBeUndefined();
});

test('when a handler fails after the 202, onError learns that the sender was answered', async () => {
  const work = gate();
  const error = new Error('too late');
  const { receiver, failures } = setUp({ onEvent: () => work.passed });
  const reception = receiver.receive(track);
  await vi.advanceTimersByTimeAsync(4000);
  work.fail(error);
  await (await reception).settled;
  expect(failures).toEqual([[error, { event: sampleEvents.track, answered: true }]]);
});

test('respondAfter: false waits for the handler', async () => {
  const work = gate();
  const { receive } = setUp({ onEvent: () => work.passed, respondAfter: false });
  const answer = receive();
  await vi.advanceTimersByTimeAsync(3_600_000);
  work.open();
  expect((await answer).status).toBe(200);
});

test('respondAfter counts from the start of the request, as the timeout of the sender does', async () => {
  const work = gate();
  const { receiver } = setUp({ onEvent: () => work.passed });
  const body = gate();
  const bytes = new TextEncoder().encode(track.body);
  const reception = receiver.receive({ ...track, body: () => body.passed.then(() => bytes) });
  await vi.advanceTimersByTimeAsync(3000);
  body.open();
  await vi.advanceTimersByTimeAsync(1000);
  expect((await reception).answer.status).toBe(202);
});

test('no timer remains after a handler has ended', async () => {
  const { receive } = setUp({ onEvent: () => {} });
  await receive({ ...track, body: async () => new TextEncoder().encode(track.body) });
  expect(vi.getTimerCount()).toBe(0);
});

test('a handler that fails at once is answered with 500, even if the body came after the deadline', async () => {
  const body = gate();
  const onEvent = async (): Promise<void> => {
    throw new Error('no connection to the queue');
  };
  const { receiver, failures } = setUp({ onEvent });
  const late = async (): Promise<Uint8Array> => {
    await body.passed;
    return new TextEncoder().encode(track.body);
  };
  const reception = receiver.receive({ ...track, body: late });
  await vi.advanceTimersByTimeAsync(4_500);
  body.open();
  expect((await reception).answer.status).toBe(500);
  expect(failures).toHaveLength(1);
});
