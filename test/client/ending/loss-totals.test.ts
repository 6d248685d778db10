import { beforeEach, expect, test } from 'vitest';
import { LossTotals } from '../../../src/client/ending/loss-totals.js';

let lines: string[];
let totals: LossTotals;

beforeEach(() => {
  lines = [];
  totals = new LossTotals((line) => lines.push(line));
});

test('losses of one kind are printed as one sum, with the last reason', () => {
  totals.note('full', 1, 'The queue is full: 8 bytes');
  totals.note('full', 2, 'The queue is full: 9 bytes');
  totals.tell();
  expect(lines).toEqual(['eventferry: lost 3 messages: The queue is full: 9 bytes']);
});

test('losses of several kinds are printed in one line, each with its number', () => {
  totals.note('full', 597_500, 'The queue is full');
  totals.note('aborted', 2_500, 'Not delivered');
  totals.tell();
  expect(lines).toEqual(['eventferry: lost 600000 messages: 597500 × The queue is full; 2500 × Not delivered']);
});

test('nothing is printed if nothing was lost, or if warnings have reported each loss', () => {
  totals.tell();
  totals.note('full', 2, 'The queue is full');
  expect(totals.takeUntold('full')).toBe(2);
  totals.tell();
  expect(lines).toEqual([]);
});

test('if a loss follows a warning, the line contains the sum of all losses', () => {
  totals.note('full', 2, 'The queue is full');
  totals.takeUntold('full');
  totals.note('full', 3, 'The queue is full');
  totals.tell();
  expect(lines).toEqual(['eventferry: lost 5 messages: The queue is full']);
});

test('a loss is printed only once, and a later loss is printed separately', () => {
  totals.note('full', 2, 'The queue is full');
  totals.tell();
  totals.tell();
  totals.note('full', 1, 'The queue is full');
  totals.tell();
  expect(lines).toEqual([
    'eventferry: lost 2 messages: The queue is full',
    'eventferry: lost 1 message: The queue is full',
  ]);
  expect(totals.takeUntold('full')).toBe(0);
});

test('a reason with line breaks stays on its line', () => {
  totals.note('refused', 1, 'a\nb');
  totals.tell();
  expect(lines).toEqual(['eventferry: lost 1 message: a\\nb']);
});
