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

test('the first line of a kind is written at once, and those of the same minute as one at its end', () => {
  note('full', 1);
  note('full', 2);
  note('full', 3, ', the last');
  expect(lines).toEqual(['full 1']);
  clock.advance(60_000);
  expect(lines).toEqual(['full 1', 'full 5 more, the last']);
});

test('lines of one kind do not hold up those of another', () => {
  note('full', 1);
  note('refused', 2);
  expect(lines).toEqual(['full 1', 'refused 2']);
});

test('a kind that goes on has one line each minute, and one that has rested begins anew', () => {
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

test('at the end what waits for its minute is told, once, and no timer is left', () => {
  note('full', 1);
  note('full', 4);
  note('refused', 1);
  repeats.tellRest();
  repeats.tellRest();
  expect(lines).toEqual(['full 1', 'refused 1', 'full 4 more']);
  expect(clock.due).toEqual([]);
});
