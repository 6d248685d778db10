import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sink } from '../../support/sink.js';
import { run } from '../command.js';
import { events, newJournal, recordsOf } from './new-journal.js';

/** Flips a bit in a file of a journal where this text begins. Returns the file and the start of the letter's text. */
function damage(folder: string, text: string): { file: string; body: number } {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!name.endsWith('.batch')) continue;
    const bytes = readFileSync(file);
    const at = bytes.indexOf(text);
    if (at === -1) continue;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    return { file, body: bytes.lastIndexOf('{"at":', at) };
  }
  throw new Error(`no ${text}`);
}

test('journal list, stats and replay count a dead letter that cannot be read, and print its file and position', async () => {
  const path = await newJournal();
  const { file, body } = damage(join(path, 'dead-letters'), 'Gone 2');
  const told = `journal: 1 dead letter cannot be read: byte ${body} of ${file}\n`;
  expect(await run(['journal', 'list', path])).toMatchObject({ err: `${told}2 waiting, 1 dead, 1 damaged\n` });
  const { out, err } = await run(['journal', 'stats', path, '--json']);
  expect(recordsOf(out)).toEqual([{ owned: 0, left: 2, dead: 1, damaged: 1 }]);
  expect(recordsOf(err)).toEqual([{ damaged: 1, of: 'dead', path: file, at: body }]);
  const collector = await sink();
  const replayed = await run(['journal', 'replay', path, '--all', '--endpoint', collector.url, '--write-key', 'key']);
  expect(replayed.err).toContain(told);
  expect(events(collector.messages)).toEqual(['Gone 1']);
});

test('journal list counts waiting messages that cannot be read, and prints their file', async () => {
  const path = await newJournal();
  const { file } = damage(join(path, 'owners'), 'Left 2');
  const damaged = await run(['journal', 'list', path]);
  expect(damaged.err).toMatch(/^journal: 1 waiting message cannot be read: byte \d+ of /);
  expect(damaged.err).toContain(`${file}\n1 waiting, 2 dead, 1 damaged\n`);
});

test('journal flush --json prints how many messages were damaged, and where', async () => {
  const path = await newJournal();
  damage(join(path, 'owners'), 'Left 2');
  const to = ['--endpoint', (await sink()).url, '--write-key', 'key'];
  const { err } = await run(['journal', 'flush', path, ...to, '--json']);
  expect(recordsOf(err)).toEqual([
    {
      journal: {
        kind: 'damaged',
        messages: 1,
        code: 'EVENTFERRY_JOURNAL_DAMAGED',
        error: expect.stringContaining(`A message in the journal at ${path}`),
      },
    },
  ]);
});
