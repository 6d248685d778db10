import { expect, test } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import type { Outcome } from '../../../src/client/transport/response-outcome.js';
import { batchOf, delivered, deliverTo, type Judge, split } from './collector.js';

const REJECTED = 'EVENTFERRY_REJECTED';

test('a batch that is accepted takes one request', async () => {
  expect(await deliverTo(() => delivered, batchOf(3))).toMatchObject({
    asked: [[0, 1, 2]],
    results: [undefined, undefined, undefined],
  });
});

test('exactly the messages that the response names are lost', async () => {
  const outcome: Outcome = { ...delivered, rejections: [{ index: 1, reason: 'BAD: no' }] };
  expect((await deliverTo(() => outcome, batchOf(3))).results).toEqual([undefined, REJECTED, undefined]);
});

test('if a response names an index outside the batch, the client ignores the indexes and sends smaller parts', async () => {
  const judge: Judge = (messages) =>
    messages.includes(2) ? { ...delivered, rejections: [{ index: 7, reason: 'BAD: no' }] } : delivered;
  const { asked, lost } = await deliverTo(judge, batchOf(4));
  expect(asked).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [2], [3]]);
  expect(lost).toEqual([2]);
});

test('a 400 that names every message loses each with its own reason, without splitting the batch', async () => {
  const rejections = [0, 1, 2].map((index) => ({ index, reason: `BAD: ${index}` }));
  const batch = batchOf(3);
  expect(await deliverTo(() => ({ ...split(400), rejections }), batch)).toMatchObject({
    asked: [[0, 1, 2]],
    lost: [0, 1, 2],
    attempts: [1],
  });
  await expect(batch.results.of(2)).rejects.toMatchObject({ status: 400, answer: 'BAD: 2' });
});

test.each([
  ['fewer messages than it was sent', [0, 1]],
  ['one message twice', [0, 1, 1]],
  ['indexes outside the batch', [0, 1, 7]],
])('a 400 that names %s makes the client split the batch', async (_, indexes) => {
  const rejections = indexes.map((index) => ({ index, reason: 'BAD' }));
  const judge: Judge = (messages) => (messages.length === 3 ? { ...split(400), rejections } : delivered);
  expect((await deliverTo(judge, batchOf(3))).lost).toEqual([]);
});

test('a permanent refusal loses all messages of the batch', async () => {
  const outcome: Outcome = { verdict: 'rejected', status: 401, answer: 'no' };
  expect(await deliverTo(() => outcome, batchOf(2))).toMatchObject({ asked: [[0, 1]], results: [REJECTED, REJECTED] });
});

test('the error of a lost message contains the advice', async () => {
  const batch = batchOf(1);
  await deliverTo(() => ({ verdict: 'rejected', status: 401, answer: 'because', advice: 'Check it' }), batch);
  await expect(batch.results.of(0)).rejects.toMatchObject({
    message: 'The collector refused the message with status 401: because. Check it',
    answer: 'because',
  });
});

test('if a batch cannot be sent any more, all its messages are lost with the reason, including untried ones', async () => {
  const judge: Judge = (messages) => {
    if (messages.length === 4) return split(413);
    throw new AbortedError('a test says so');
  };
  const { asked, results } = await deliverTo(judge, batchOf(4));
  expect(asked).toEqual([
    [0, 1, 2, 3],
    [0, 1],
  ]);
  expect(results).toEqual(Array(4).fill('EVENTFERRY_ABORTED'));
});

test('after the process has abandoned the batch, a late response changes nothing and nothing more is sent', async () => {
  const batch = batchOf(4);
  const error = new AbortedError('a test says so');
  const { asked, settled } = await deliverTo((messages) => {
    if (messages.length === 4) return split(413);
    batch.results.endUpTo(4, () => error);
    return delivered;
  }, batch);
  expect(asked).toHaveLength(2);
  expect(settled).toEqual([]);
  await expect(batch.results.of(0)).rejects.toBe(error);
});

test('a late response to a whole batch that the process has abandoned changes nothing', async () => {
  const error = new AbortedError('a test says so');
  for (const outcome of [delivered, { ...delivered, rejections: [{ index: 0, reason: 'no' }] }, split(413)]) {
    const given = batchOf(2);
    const { asked, settled } = await deliverTo(() => {
      given.results.endUpTo(2, () => error);
      return outcome;
    }, given);
    expect({ asked, settled }).toEqual({ asked: [[0, 1]], settled: [] });
    await expect(given.results.of(0)).rejects.toBe(error);
  }
});
