import { once } from 'node:events';
import * as fs from 'node:fs';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SOCKET, Source } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { mark, newOwner } from './left-folder.js';

/** Many owners that live, and one after them. A look tells whom it has asked. */
async function crowd(journal: string, source?: Source) {
  let asked: string[] = [];
  const others: { folder: string; end(): Promise<void> }[] = [];
  for (let index = 0; index < 20; index++) {
    const folder = join(journal, 'owners', `0${String(index).padStart(2, '0')}-crowd`);
    mkdirSync(folder, { recursive: true });
    const server = createServer((socket) => {
      asked.push(basename(folder));
      socket.destroy();
    }).listen(join(folder, SOCKET));
    await once(server, 'listening');
    const end = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
    onTestFinished(end);
    others.push({ folder, end });
  }
  const owner = newOwner(journal, source);
  const look = async (): Promise<string[]> => {
    asked = [];
    await owner.takeOver({ mayTake: (folder) => source?.owns(fs, folder) ?? true });
    await new Promise(setImmediate);
    return asked;
  };
  const taken = (): string[] => {
    const names = readdirSync(join(journal, 'owners')).filter((name) => name.endsWith(`@${basename(owner.path)}`));
    return names.map((name) => name.split('@')[0] ?? '').sort();
  };
  return { others, taken, look };
}

test('an owner asks all others at its first look, and no more than two of them at each later one, its neighbour always', async () => {
  const { look } = await crowd(temporaryFolder());
  expect(await look()).toHaveLength(20);
  for (let later = 0; later < 5; later++) {
    const asked = await look();
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(asked).toContain('019-crowd');
  }
});

test('an owner whose neighbours have ended takes them over at its next look, up to the first that lives', async () => {
  const journal = temporaryFolder();
  const { others, taken, look } = await crowd(journal);
  await look();
  for (const { end } of others.slice(17)) await end();
  await look();
  expect(taken()).toEqual(['017-crowd', '018-crowd', '019-crowd']);
});

test('an owner finds any that has ended in eight times as many looks as there are others, also when the neighbours do not look', async () => {
  const journal = temporaryFolder();
  const { others, taken, look } = await crowd(journal);
  await look();
  await others[4]?.end();
  for (let looks = 0; looks < 160; looks++) await look();
  expect(taken()).toEqual(['004-crowd']);
});

test('an owner asks no more whether one of another source lives, once it has ended', async () => {
  const journal = temporaryFolder();
  const { others, look } = await crowd(journal, new Source('key-b', []));
  mark(others[19]?.folder ?? '', new Source('key-a', []));
  await others[19]?.end();
  expect(await look()).toContain('018-crowd');
  // One that comes back under its name would be asked again.
  const back = createServer().listen(join(others[19]?.folder ?? '', SOCKET));
  await once(back, 'listening');
  const connections: unknown[] = [];
  back.on('connection', (socket) => connections.push(socket.destroy()));
  onTestFinished(() => void back.close());
  for (let looks = 0; looks < 168; looks++) await look();
  expect(connections).toEqual([]);
});
