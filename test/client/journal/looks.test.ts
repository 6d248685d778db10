import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import { SOCKET } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { clientName, newOwner } from './left-folder.js';

/** Makes twenty living owners, and one that sorts after them. Its `look` returns the owners that it asked. */
async function crowd(journal: string) {
  let asked: string[] = [];
  const others: { folder: string; end(): Promise<void> }[] = [];
  for (let index = 0; index < 20; index++) {
    const folder = join(journal, 'owners', clientName(String(index).padStart(2, '0')));
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
  const owner = newOwner(journal);
  let ended: string[] = [];
  const look = async (): Promise<string[]> => {
    asked = [];
    ended = (await owner.ended()).map((path) => basename(path));
    await new Promise(setImmediate);
    return asked;
  };
  return { others, ended: () => ended, look };
}

test('an owner asks all others in its first look, and eight of them, in turn, in each later look', async () => {
  const { look } = await crowd(temporaryFolder());
  expect(await look()).toHaveLength(20);
  const later: string[] = [];
  for (let looks = 0; looks < 5; looks++) {
    const asked = await look();
    expect(asked).toHaveLength(8);
    later.push(...asked);
  }
  expect(new Set(later).size).toBe(20);
});

test('owners that look at the same time ask different owners', async () => {
  const journal = temporaryFolder();
  const folders = Array.from({ length: 12 }, () => newOwner(journal));
  const asked = new Map<string, number>();
  for (const owner of folders) await owner.ended();
  const isAlive = vi.spyOn(Lifeline, 'isAlive').mockImplementation(async (path) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    return true;
  });
  for (const owner of folders) await owner.ended();
  isAlive.mockRestore();
  expect(asked.size).toBe(12);
});

test('an owner finds each ended owner within the number of looks that it takes to ask all others', async () => {
  const { others, ended, look } = await crowd(temporaryFolder());
  await look();
  await others[4]?.end();
  for (let looks = 0; looks < 3; looks++) await look();
  expect(ended()).toEqual([clientName('04')]);
});

test('an ended owner is found in each look while its folder exists, and is not asked again', async () => {
  const { others, ended, look } = await crowd(temporaryFolder());
  await others[19]?.end();
  await look();
  // A socket at the same path would get a connection if the owner were asked again.
  const back = createServer().listen(join(others[19]?.folder ?? '', SOCKET));
  await once(back, 'listening');
  const connections: unknown[] = [];
  back.on('connection', (socket) => connections.push(socket.destroy()));
  onTestFinished(() => void back.close());
  for (let looks = 0; looks < 5; looks++) await look();
  expect([connections, ended()]).toEqual([[], [clientName('19')]]);
});
