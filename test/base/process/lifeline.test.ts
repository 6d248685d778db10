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

test('a lifeline is found alive until it is closed', async () => {
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

test('a folder whose path is too long for a socket is held open while its lifeline is, and no longer', async () => {
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

test('a lifeline whose name is taken cannot be opened', () => {
  const path = temporaryFolder();
  const first = Lifeline.open(path, NAME);
  onTestFinished(() => first?.close());
  expect(Lifeline.open(path, NAME)).toBeUndefined();
});

test('a lifeline whose process was killed is found dead, although its socket is left', async () => {
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

test('a file in the place of a lifeline, and a folder that is gone, are found dead', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, NAME), '');
  expect(await Lifeline.isAlive(path, NAME)).toBe(false);
  expect(await Lifeline.isAlive(join(path, 'gone'), NAME)).toBe(false);
});

test('a lifeline that cannot be reached for another reason than death counts as alive', async () => {
  const path = temporaryFolder();
  // A file in the place of the folder: ENOTDIR says nothing of a process.
  writeFileSync(join(path, 'file'), '');
  expect(await Lifeline.isAlive(join(path, 'file'), NAME)).toBe(true);
});

test('a request of one line is answered, one that is too long is not, and one that is never whole keeps nobody from closing', async () => {
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

test('who asks an owner that does not answer in time hangs up', async () => {
  const path = temporaryFolder();
  const asking = new Promise<Socket>((resolve) => {
    const server = createServer(resolve).listen(join(path, NAME));
    onTestFinished(() => void server.close());
  });
  expect(await Lifeline.ask(path, NAME, 'hello', 20)).toBeUndefined();
  const socket = (await asking).resume();
  if (!socket.closed) await once(socket, 'close');
});
