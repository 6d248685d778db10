import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteOwner } from '../../client/journal/left-folder.js';
import { sink } from '../../support/sink.js';
import { run } from '../command.js';
import { newJournal } from './new-journal.js';

/** Makes a journal with messages of a container that is gone: its client has no socket and another host name. */
async function journalOfGone(): Promise<string> {
  const path = await newJournal();
  const owner = { pid: 1, place: 'a container that is gone', startedAt: 0, hasSocket: false };
  for (const name of readdirSync(join(path, 'owners'))) {
    noteOwner(join(path, 'owners', name), owner);
  }
  return path;
}

const ADVICE = /journal: the messages of \d clients? stay, .* once they have ended, give --take-over/;

test('journal flush leaves the messages of a lost container until the operator says that it has ended', async () => {
  const path = await journalOfGone();
  const collector = await sink();
  const flush = ['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'key'];
  const first = await run(flush);
  expect(first).toMatchObject({ code: 0, out: '0 messages delivered, 0 lost, 0 left\n' });
  expect(first.err).toMatch(ADVICE);
  expect(await run([...flush, '--take-over'])).toMatchObject({
    code: 0,
    out: '2 messages delivered, 0 lost, 0 left\n',
    err: '',
  });
});

test('journal drop leaves the messages of a lost container and fails until the operator says that it has ended', async () => {
  const path = await journalOfGone();
  const first = await run(['journal', 'drop', path, '--all', '--yes']);
  expect(first.code).toBe(1);
  expect(first.err).toMatch(ADVICE);
  const second = await run(['journal', 'drop', path, '--all', '--yes', '--take-over']);
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('2 waiting messages dropped') });
  expect(readdirSync(join(path, 'owners'))).toEqual([]);
});
