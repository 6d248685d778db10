import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeNewer } from '../../client/journal/left-folder.js';
import { serve } from '../../support/loopback.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { run, start } from '../command.js';
import { newJournal, recordsOf } from './new-journal.js';

test('journal replay and drop require a filter, and every command requires a journal', async () => {
  const path = await newJournal();
  for (const command of ['replay', 'drop']) {
    expect((await run(['journal', command, path])).err).toContain('no filter; give');
  }
  expect((await run(['journal', 'stats', temporaryFolder()])).err).toContain('no journal at');
});

test.each(['flush', 'replay'])('Ctrl-C ends journal %s with 130, and undelivered messages stay', async (command) => {
  const path = await newJournal();
  let onRequest = (): void => {};
  const asked = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const endpoint = await serve(() => onRequest());
  const filter = command === 'replay' ? ['--all'] : [];
  const { child, ended } = await start([
    'journal',
    command,
    path,
    '--endpoint',
    endpoint,
    '--write-key',
    'key',
    ...filter,
  ]);
  await asked;
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  const { out } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(out)).toEqual([{ owned: 0, left: 2, dead: 2, damaged: 0 }]);
});

test('no journal command changes files of a newer version', async () => {
  const path = await newJournal();
  makeNewer(path);
  const before = readdirSync(path, { recursive: true });
  for (const args of [['list'], ['stats'], ['drop', '--all']]) {
    const [command = '', ...rest] = args;
    const { code, err } = await run(['journal', command, path, ...rest]);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('was written by a newer version') });
  }
  expect(readdirSync(path, { recursive: true })).toEqual(before);
});
