import { expect, test } from 'vitest';
import { errorLines } from '../../../src/service/operations/error-lines.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, sendBatch, serving, track } from '../support.js';

function telling() {
  const [clock, log] = [new FakeClock(), recordingLog()];
  const tell = errorLines(log, clock);
  return { clock, lines: log.lines, tell: (text: string) => tell(new Error(text), 'it failed') };
}

test('an error is a line at once, and its repetitions are one line ten seconds later', async () => {
  const { clock, lines, tell } = telling();
  for (let count = 0; count < 5; count++) tell('no space');
  expect(lines.map(({ error }) => error)).toEqual(['no space']);
  await clock.pass(10_000);
  expect(lines.slice(1)).toMatchObject([{ error: 'no space', again: 4 }]);
});

test('the first error beyond a hundred kinds is a line, and the rest are counted in one', async () => {
  const { clock, lines, tell } = telling();
  for (let kind = 0; kind < 150; kind++) tell(`kind ${kind}`);
  tell('kind 7');
  expect(lines.map(({ error }) => error)).toEqual(Array.from({ length: 101 }, (_, kind) => `kind ${kind}`));
  await clock.pass(10_000);
  expect(lines.slice(101)).toMatchObject([
    { error: 'kind 7', again: 1 },
    { errors: 49, text: 'more than 100 kinds of errors came within ten seconds, and the rest were only counted' },
  ]);
  tell('kind 149');
  expect(lines.at(-1)).toMatchObject({ error: 'kind 149' });
});

test('messages that a service cannot store are a log line at once, and then one with the number of repetitions', async () => {
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const { url } = await serving(configOf(), { clock, log, storage });
  storage.takeIn = async () => Promise.reject(new Error('no space left on device'));
  for (const id of ['m1', 'm2', 'm3']) expect((await sendBatch(url, track(id))).status).toBe(503);
  const told = { level: 'error', text: 'messages could not be stored', error: 'no space left on device' };
  expect(log.lines).toEqual([told]);
  await clock.pass(10_000);
  expect(log.lines).toEqual([told, { ...told, again: 2 }]);
});
