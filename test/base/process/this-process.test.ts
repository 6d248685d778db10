import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { isDead, type ProcessIdentity, thisProcess } from '../../../src/base/process/this-process.js';

/** Starts a process that lives until the test ends, and returns the identity that it shows to others. */
async function startOther(): Promise<{ identity: ProcessIdentity; end(): Promise<void> }> {
  const child = spawn(process.execPath, ['--eval', 'console.log(1); setInterval(() => {}, 1e6)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const { pid = 0 } = child;
  const ticks = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19];
  return {
    identity: { ...thisProcess, pid, startedAt: Date.now(), ticks },
    async end() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('this process is alive, and an earlier process with its pid is dead', () => {
  expect(isDead(thisProcess)).toBe(false);
  expect(isDead({ ...thisProcess, startedAt: thisProcess.startedAt - 1 })).toBe(true);
});

test('another process is dead once it has ended', async () => {
  const { identity, end } = await startOther();
  expect(isDead(identity)).toBe(false);
  await end();
  expect(isDead(identity)).toBe(true);
});

test('a process is dead if a later one has its pid', async () => {
  const { identity } = await startOther();
  expect(isDead({ ...identity, ticks: '1' })).toBe(true);
  expect(isDead({ ...identity, ticks: undefined })).toBe(false);
});

test('a process on another machine or in another container counts as alive, because nothing is known about it', async () => {
  const { identity, end } = await startOther();
  await end();
  expect(isDead({ ...identity, place: 'elsewhere' })).toBe(false);
});
