import { expect, test } from 'vitest';
import type { TypedMessage } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { rows } from './rows.js';

test('with a rate, rows pass evenly, and after a delay at most the rows of one second pass at once', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  let taken = 0;
  function* counted(): Generator<TypedMessage> {
    for (const row of rows(1_000)) {
      taken++;
      yield row;
    }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const takenAfter = async (ms: number): Promise<number> => {
    const before = taken;
    clock.advance(ms);
    await turn();
    return taken - before;
  };
  const controller = new AbortController();
  const { signal } = controller;
  const imported = analytics.import(counted(), { rate: 10, signal });
  await turn();
  expect(taken).toBe(2);
  const each: number[] = [];
  for (let round = 0; round < 10; round++) each.push(await takenAfter(100));
  expect(each).toEqual(Array(10).fill(1));
  // The row that was waiting passes, ten more follow, and the next one waits.
  expect(await takenAfter(60_000)).toBe(11);
  controller.abort();
  await expect(imported).rejects.toMatchObject({ code: 'EVENTFERRY_IMPORT_STOPPED' });
  expect(clock.holds).toBe(0);
});
