import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AbortedError, RejectedError } from '../../src/errors.js';
import { Batch } from '../../src/queue/batch.js';
import { deliver, MAX_REQUESTS_PER_BATCH } from '../../src/queue/deliver.js';
import type { ErrorOf } from '../../src/queue/endings.js';
import type { Outcome } from '../../src/transport/exchange.js';

function batchOf(messages: number): Batch {
  const batch = new Batch('id', { maxBytes: 500_000, maxMessages: 2_500 });
  for (let index = 0; index < messages; index++) batch.add(String(index));
  return batch;
}

/** Delivers a batch to a collector that judges each range; tells what was asked and how each message ended. */
async function run(batch: Batch, judge: (from: number, to: number) => Outcome | Promise<Outcome>) {
  const asked: [number, number][] = [];
  const endings: (string | undefined)[] = [];
  await deliver(batch, {
    send: async (_, from, to) => {
      asked.push([from, to]);
      return judge(from, to);
    },
    settle: (_, to, errorOf?: ErrorOf) => {
      for (let index = batch.endings.ended; index < to; index++) endings[index] = errorOf?.(index)?.code;
      batch.endings.endUpTo(to, errorOf);
    },
  });
  return { asked, endings };
}

const delivered: Outcome = { verdict: 'delivered', status: 200, rejections: [] };
const split = (status: number): Outcome => ({ verdict: 'split', status, answer: 'no' });

test('a batch that is taken costs one request', async () => {
  expect(await run(batchOf(3), () => delivered)).toEqual({
    asked: [[0, 3]],
    endings: [undefined, undefined, undefined],
  });
});

test('the messages that the answer names are lost, and no others', async () => {
  const outcome: Outcome = { ...delivered, rejections: [{ index: 1, reason: 'BAD: no' }] };
  expect((await run(batchOf(3), () => outcome)).endings).toEqual([undefined, 'ANALYTICS_REJECTED', undefined]);
});

test('a refusal for good loses all of them', async () => {
  const outcome: Outcome = { verdict: 'rejected', status: 401, answer: 'no' };
  expect(await run(batchOf(2), () => outcome)).toEqual({
    asked: [[0, 2]],
    endings: ['ANALYTICS_REJECTED', 'ANALYTICS_REJECTED'],
  });
});

test('what cannot be sent any more is lost with the reason, the parts not tried included', async () => {
  const judge = (from: number, to: number): Outcome => {
    if (to - from === 4) return split(413);
    throw new AbortedError('a test says so');
  };
  const { asked, endings } = await run(batchOf(4), judge);
  expect(asked).toEqual([
    [0, 4],
    [0, 2],
  ]);
  expect(endings).toEqual(Array(4).fill('ANALYTICS_ABORTED'));
});

describe('a batch that is refused as a whole', () => {
  test.each([400, 413])('with %i is halved, in order, until the bad message stands alone', async (status) => {
    const bad = 2;
    const { asked, endings } = await run(batchOf(4), (from, to) =>
      from <= bad && bad < to ? split(status) : delivered,
    );
    expect(asked).toEqual([
      [0, 4],
      [0, 2],
      [2, 4],
      [2, 3],
      [3, 4],
    ]);
    expect(endings).toEqual([undefined, undefined, 'ANALYTICS_REJECTED', undefined]);
  });

  test('names within a half are counted from its start', async () => {
    const judge = (from: number, to: number): Outcome =>
      to - from === 4 ? split(413) : { ...delivered, rejections: from === 2 ? [{ index: 1, reason: '' }] : [] };
    expect((await run(batchOf(4), judge)).endings).toEqual([undefined, undefined, undefined, 'ANALYTICS_REJECTED']);
  });

  test('loses only the bad messages, wherever ten of them stand among 2,500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(2_499), { maxLength: 10 }), async (bad) => {
        const judge = (from: number, to: number) =>
          bad.some((index) => from <= index && index < to) ? split(400) : delivered;
        const { asked, endings } = await run(batchOf(2_500), judge);
        const lost = endings.flatMap((code, index) => (code === undefined ? [] : [index]));
        expect(lost).toEqual([...bad].sort((a, b) => a - b));
        expect(asked.length).toBeLessThanOrEqual(MAX_REQUESTS_PER_BATCH);
      }),
      { numRuns: 20 },
    );
  });

  test('costs a bounded number of requests when the collector refuses everything', async () => {
    const { asked, endings } = await run(batchOf(2_500), () => split(400));
    expect(asked.length).toBeLessThan(MAX_REQUESTS_PER_BATCH + 30);
    expect(endings).toEqual(Array(2_500).fill(new RejectedError(400, '').code));
  });
});

test('once the process has given up on the batch, a late answer changes nothing and nothing more is sent', async () => {
  const batch = batchOf(4);
  const error = new AbortedError('a test says so');
  const { asked, endings } = await run(batch, (_, to) => {
    if (to === 4) return split(413);
    batch.endings.endUpTo(4, () => error);
    return delivered;
  });
  expect(asked).toHaveLength(2);
  expect(endings).toEqual([]);
  expect(batch.endings.ended).toBe(4);
  await expect(batch.endings.of(0)).rejects.toBe(error);
});
