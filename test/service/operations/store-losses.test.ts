import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import { StoreLosses } from '../../../src/service/operations/store-losses.js';
import { recordingLog } from '../recording-log.js';

test('each time the store is emptied, an error is logged and the count and time are updated', () => {
  const log = recordingLog();
  let empty = (): void => undefined;
  const onEmptied = (tell: () => void): void => {
    empty = tell;
  };
  const losses = new StoreLosses({ isNew: false, onEmptied }, log, { ...systemClock(), wall: () => 1_000 });
  expect([losses.count, losses.lastAt, log.lines]).toEqual([0, undefined, []]);
  empty();
  empty();
  expect([losses.count, losses.lastAt]).toEqual([2, 1_000]);
  expect(log.lines).toMatchObject([
    { level: 'error', times: 1 },
    { level: 'error', times: 2 },
  ]);
});

test.each<[boolean, string[]]>([
  [true, ['the store is empty: nothing was kept in it before']],
  [false, []],
])('a store whose isNew is %s logs %j at the start', (isNew, expected) => {
  const log = recordingLog();
  new StoreLosses({ isNew, onEmptied: () => {} }, log, systemClock());
  expect(log.lines.map(({ text }) => text)).toEqual(expected);
});
