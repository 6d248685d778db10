import { expect, test } from 'vitest';
import { errorLines } from '../../../src/service/operations/error-lines.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { RedisFailedError } from '../../../src/store/store-errors.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, sendBatch, serving, track } from '../support.js';

function telling() {
  const [clock, log] = [new FakeClock(), recordingLog()];
  const tell = errorLines(log, clock);
  return {
    clock,
    lines: log.lines,
    tell: (text: string) => tell(new Error(text), 'it failed'),
    tellOf: (destination: string, text: string) =>
      tell(new RedisFailedError(new Error(text)), 'it failed', destination),
  };
}

test('an error is logged at once, and its repetitions in one line ten seconds later', async () => {
  const { clock, lines, tell } = telling();
  for (let count = 0; count < 5; count++) tell('no space');
  expect(lines.map(({ error }) => error)).toEqual(['no space']);
  await clock.pass(10_000);
  expect(lines.slice(1)).toMatchObject([{ error: 'no space', again: 4 }]);
});

test('the first error beyond a hundred kinds is logged, and the rest are counted in one line', async () => {
  const { clock, lines, tell } = telling();
  for (let kind = 0; kind < 150; kind++) tell(`kind ${kind}`);
  tell('kind 7');
  expect(lines.map(({ error }) => error)).toEqual(Array.from({ length: 101 }, (_, kind) => `kind ${kind}`));
  await clock.pass(10_000);
  expect(lines.slice(101)).toMatchObject([
    { error: 'kind 7', again: 1 },
    { again: 49, text: 'more than 100 kinds of errors came within a short time, and the rest were only counted' },
  ]);
  expect(lines.at(-1)).not.toHaveProperty('error');
  await clock.pass(20_000);
  tell('kind 149');
  expect(lines.at(-1)).toMatchObject({ error: 'kind 149' });
});

test('errors with one code at many destinations are one kind, and the line of repetitions has their number', async () => {
  const { clock, lines, tellOf } = telling();
  for (let number = 0; number < 60; number++) tellOf(`customer-${number}`, number % 2 === 0 ? 'timed out' : 'closed');
  expect(lines).toMatchObject([{ destination: 'customer-0', error: 'Redis: timed out' }]);
  await clock.pass(10_000);
  expect(lines.slice(1)).toMatchObject([{ destinations: 59, again: 59, code: 'EVENTFERRY_STORE_REDIS_FAILED' }]);
  tellOf('customer-7', 'closed');
  await clock.pass(20_000);
  expect(lines.slice(2)).toMatchObject([{ destination: 'customer-7', again: 1 }]);
});

test('an error that lasts six hours is logged every ten minutes, and at once when it occurs again later', async () => {
  const { clock, lines, tell } = telling();
  const times = (6 * 60 * 60) / 5;
  for (let time = 0; time < times; time++) {
    tell('no space');
    await clock.pass(5_000);
  }
  expect(lines.length).toBeLessThan(6 * 6 + 8);
  await clock.pass(600_000);
  expect(lines.reduce((sum, { again = 0 }) => sum + Number(again), 1)).toBe(times);
  await clock.pass(600_000);
  const before = lines.length;
  tell('no space');
  expect(lines.slice(before)).toEqual([{ level: 'error', text: 'it failed', error: 'no space' }]);
});

test('messages that cannot be stored are logged at once, and then in one line with the number of repetitions', async () => {
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const { url } = await serving(configOf(), { clock, log, storage });
  storage.takeIn = async () => Promise.reject(new Error('no space left on device'));
  for (const id of ['m1', 'm2', 'm3']) expect((await sendBatch(url, track(id))).status).toBe(503);
  const told = { level: 'error', text: 'messages could not be stored', error: 'no space left on device' };
  expect(log.lines).toEqual([told]);
  await clock.pass(10_000);
  expect(log.lines).toEqual([told, { ...told, again: 2 }]);
});
