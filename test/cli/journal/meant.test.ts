import { expect, test } from 'vitest';
import { run } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

test('journal drop --dry-run prints what would be removed, and removes nothing', async () => {
  const path = await newJournal();
  const all = await run(['journal', 'drop', path, '--all', '--dry-run']);
  expect(all).toMatchObject({ code: 0, out: '2 dead letters and 2 waiting messages would be dropped\n' });
  const { out } = await run(['journal', 'drop', path, '--user', 'Gone 1', '--dry-run', '--json']);
  expect(recordsOf(out)).toEqual([{ dead: 1, waiting: 0, owned: 0, dryRun: true }]);
  expect(recordsOf((await run(['journal', 'list', path, '--json'])).out)).toHaveLength(4);
});

test('without a terminal, journal drop --all needs --yes', async () => {
  const path = await newJournal();
  const { code, out, err } = await run(['journal', 'drop', path, '--all']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe('journal: --all removes for good; give --yes to go on, or --dry-run to see what would go\n');
  expect(recordsOf((await run(['journal', 'list', path, '--json'])).out)).toHaveLength(4);
  const { out: dropped } = await run(['journal', 'drop', path, '--all', '--yes']);
  expect(dropped).toBe('2 dead letters and 2 waiting messages dropped\n');
});
