import { expect, test } from 'vitest';
import { client } from '../../support/client.js';
import { run, runProcess } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

test('journal stats counts waiting messages and dead letters', async () => {
  const path = await newJournal();
  const { code, out } = await run(['journal', 'stats', path, '--json']);
  expect({ code, counts: recordsOf(out) }).toEqual({ code: 0, counts: [{ owned: 0, left: 2, dead: 2, damaged: 0 }] });
});

test('journal stats counts messages of living and of ended processes separately', async () => {
  const path = await newJournal();
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  await expect.poll(() => analytics.stats().recovered).toBe(2);
  await analytics.track({ userId: 'u1', event: 'Mine' }).stored;
  const { out } = await runProcess(['journal', 'stats', path]);
  expect(out).toBe('3 messages of living processes\n0 messages of processes that have ended\n2 dead letters\n');
});
