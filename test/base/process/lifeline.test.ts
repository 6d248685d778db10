import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const NAME = 'alive';

test('a lifeline is alive until it is closed', async () => {
  const path = temporaryFolder();
  const lifeline = Lifeline.open(path, NAME);
  expect(await Lifeline.isAlive(path, NAME)).toBe(true);
  await lifeline?.close();
  expect(await Lifeline.isAlive(path, NAME)).toBe(false);
  expect(readdirSync(path)).toEqual([]);
});

test('a lifeline works in a folder whose path is too long for a socket', async () => {
  const path = join(temporaryFolder(), 'x'.repeat(120), 'y'.repeat(120));
  mkdirSync(path, { recursive: true });
  const lifeline = Lifeline.open(path, NAME);
  expect(existsSync(join(path, NAME))).toBe(true);
  expect(await Lifeline.isAlive(path, NAME)).toBe(true);
  await lifeline?.close();
  expect(await Lifeline.isAlive(path, NAME)).toBe(false);
});

test('a folder whose path is too long for a socket is kept open only while its lifeline is open', async () => {
  const path = join(temporaryFolder(), 'x'.repeat(120));
  mkdirSync(path);
  const held = new Set<number>();
  const disk = {
    ...fs,
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      const handle = fs.openSync(...args);
      held.add(handle);
      return handle;
    },
    closeSync: (handle: number) => {
      held.delete(handle);
      fs.closeSync(handle);
    },
  };
  const lifeline = Lifeline.open(path, NAME, { fs: disk });
  expect(held.size).toBe(1);
  expect(Lifeline.open(path, NAME, { fs: disk })).toBeUndefined();
  expect(await Lifeline.isAlive(path, NAME, disk)).toBe(true);
  expect(held.size).toBe(1);
  await lifeline?.close();
  expect(held.size).toBe(0);
});

test('a lifeline cannot be opened under a name that is already in use', () => {
  const path = temporaryFolder();
  const first = Lifeline.open(path, NAME);
  onTestFinished(() => first?.close());
  expect(Lifeline.open(path, NAME)).toBeUndefined();
});

test('a lifeline whose process was killed is dead, although its socket still exists', async () => {
  const path = temporaryFolder();
  const script = `require('node:net').createServer().listen(process.argv[1], () => console.log('open'))`;
  const child = spawn(process.execPath, ['--eval', script, join(path, NAME)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(await Lifeline.isAlive(path, NAME)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await Lifeline.isAlive(path, NAME)).toBe(false);
  expect(readdirSync(path)).toEqual([NAME]);
});

test('a lifeline is dead if another file is in its place or its folder is gone', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, NAME), '');
  expect(await Lifeline.isAlive(path, NAME)).toBe(false);
  expect(await Lifeline.isAlive(join(path, 'gone'), NAME)).toBe(false);
});

test('a lifeline counts as alive if it is unreachable for any reason other than the end of its process', async () => {
  const path = temporaryFolder();
  // A file in place of the folder gives ENOTDIR, which says nothing about the process.
  writeFileSync(join(path, 'file'), '');
  expect(await Lifeline.isAlive(join(path, 'file'), NAME)).toBe(true);
});

test('a lifeline answers a request of one line, ignores one that is too long, and closes despite an unfinished one', async () => {
  const path = temporaryFolder();
  const lifeline = Lifeline.open(path, NAME, { answer: async (request) => `echo ${request}` });
  expect(await Lifeline.ask(path, NAME, 'hello', 10_000)).toBe('echo hello');
  expect(await Lifeline.ask(path, NAME, 'x'.repeat(4_096), 10_000)).toBe(`echo ${'x'.repeat(4_096)}`);
  expect(await Lifeline.ask(path, NAME, 'x'.repeat(4_097), 10_000)).toBeUndefined();
  const socket = connect(join(path, NAME));
  await once(socket, 'connect');
  await lifeline?.close();
  await once(socket, 'close');
  expect(await Lifeline.ask(path, NAME, 'hello', 10_000)).toBeUndefined();
});

test.each(['short', 'x'.repeat(120)])(
  'an owner whose folder is gone does not answer, however long its path is: %s',
  async (name) => {
    expect(await Lifeline.ask(join(temporaryFolder(), name), NAME, 'hello', 10_000)).toBeUndefined();
  },
);

test('Lifeline.ask closes the connection if the owner does not answer in time', async () => {
  const path = temporaryFolder();
  const asking = new Promise<Socket>((resolve) => {
    const server = createServer(resolve).listen(join(path, NAME));
    onTestFinished(() => void server.close());
  });
  expect(await Lifeline.ask(path, NAME, 'hello', 20)).toBeUndefined();
  const socket = (await asking).resume();
  if (!socket.closed) await once(socket, 'close');
});
