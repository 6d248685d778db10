import { describe, expect, test } from 'vitest';
import type { TypedMessage } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { rowOf } from './rows.js';

describe('invalid rows', () => {
  const wrong = (index: number) => ({ ...rowOf(index), event: '' });

  test('past the first thousand are counted by code and not kept', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const large = { ...rowOf(0), event: 'x'.repeat(32_000) };
    const report = await analytics.import([...Array.from({ length: 1_200 }, (_, index) => wrong(index)), large]);
    expect(report.invalid).toHaveLength(1_000);
    expect(report).toMatchObject({
      invalidRows: 1_201,
      invalidByCode: { EVENTFERRY_INVALID_MESSAGE: 1_200, EVENTFERRY_MESSAGE_TOO_LARGE: 1 },
      resumeAt: 1_201,
    });
  });

  test('are each told to onInvalid, and the import waits for what it returns', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const told: [unknown, string, number][] = [];
    let isWriting = false;
    const onInvalid = async (row: unknown, { code }: { code: string }, index: number) => {
      expect(isWriting).toBe(false);
      isWriting = true;
      await new Promise((resolve) => setImmediate(resolve));
      isWriting = false;
      told.push([row, code, index]);
    };
    const [first, second] = [wrong(1), wrong(3)];
    await analytics.import([rowOf(0), first, rowOf(2), second], { onInvalid });
    expect(told).toEqual([
      [first, 'EVENTFERRY_INVALID_MESSAGE', 1],
      [second, 'EVENTFERRY_INVALID_MESSAGE', 3],
    ]);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('an onInvalid that %s breaks nothing and is logged', async (_, onInvalid) => {
    const collector = await sink();
    const errors: string[] = [];
    const logger = { debug() {}, warn() {}, error: (line: string) => errors.push(line) };
    const { analytics } = client({ endpoint: collector.url, logger });
    await expect(analytics.import([wrong(0), rowOf(1)], { onInvalid })).resolves.toMatchObject({ delivered: 1 });
    expect(errors).toEqual([expect.stringContaining('a listener failed: no')]);
  });

  test('leave the event loop its turns, so that an import of nothing else can be stopped', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const controller = new AbortController();
    function* endless(): Generator<TypedMessage> {
      setImmediate(() => controller.abort());
      for (;;) yield wrong(0);
    }
    await expect(analytics.import(endless(), { signal: controller.signal })).rejects.toMatchObject({
      report: { accepted: 0 },
    });
  });
});
