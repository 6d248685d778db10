import { beforeEach, expect, test } from 'vitest';
import { Repeats } from '../../../src/base/time/repeats.js';
import { FakeClock } from '../../support/fake-clock.js';

let clock: FakeClock;
let repeats: Repeats;
let lines: string[];

beforeEach(() => {
  clock = new FakeClock();
  repeats = new Repeats(clock);
  lines = [];
});

const note = (kind: string, messages: number, why = '') =>
  repeats.note(kind, messages, (count, more) => lines.push(`${kind} ${count}${more}${why}`));

test('the first line of a kind is written at once, and later ones as a count at the end of the minute', () => {
  note('full', 1);
  note('full', 2);
  note('full', 3, ', the last');
  expect(lines).toEqual(['full 1']);
  clock.advance(60_000);
  expect(lines).toEqual(['full 1', 'full 5 more, the last']);
});

test('each kind of line is counted separately', () => {
  note('full', 1);
  note('refused', 2);
  expect(lines).toEqual(['full 1', 'refused 2']);
});

test('a kind that continues gets one line a minute, and one that stopped starts again with a line at once', () => {
  for (let second = 0; second < 150; second++) {
    note('full', 1);
    clock.advance(1_000);
  }
  expect(lines).toEqual(['full 1', 'full 59 more', 'full 60 more']);
  clock.advance(120_000);
  expect(lines.slice(3)).toEqual(['full 30 more']);
  note('full', 7);
  expect(lines.at(-1)).toBe('full 7');
});

test('tellRest writes the pending counts once and leaves no timer', () => {
  note('full', 1);
  note('full', 4);
  note('refused', 1);
  repeats.tellRest();
  repeats.tellRest();
  expect(lines).toEqual(['full 1', 'refused 1', 'full 4 more']);
  expect(clock.due).toEqual([]);
});
