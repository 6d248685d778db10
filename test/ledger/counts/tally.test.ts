import { expect, test } from 'vitest';
import { EventTable, eventName, Tally } from '../../../src/ledger/counts/tally.js';

test.each([0.4, 1, 3, 42, 200, 5_000, 60_000])(
  'the quantiles of durations that are all %d ms are within a tenth of that',
  (ms) => {
    const tally = new Tally();
    for (let count = 0; count < 10; count++) tally.took(ms);
    for (const share of [0.5, 0.95]) {
      const found = tally.quantile(share) ?? 0;
      expect(Math.abs(found - ms)).toBeLessThanOrEqual(Math.max(ms * 0.1, 0.5));
    }
  },
);

test.each([
  [0, 0.5],
  [0.9, 0.5],
  [3, 3.1],
  [1_000, 939],
])('the quantile of answers that took %d ms is %d, with one decimal below 10', (took, shown) => {
  const tally = new Tally();
  tally.took(took);
  expect(tally.quantile(0.5)).toBe(shown);
});

test('quantiles tell the few slow answers from the many fast ones', () => {
  const tally = new Tally();
  for (let count = 0; count < 90; count++) tally.took(10);
  for (let count = 0; count < 10; count++) tally.took(1_000);
  expect(tally.quantile(0.5)).toBeLessThan(12);
  expect(tally.quantile(0.95)).toBeGreaterThan(900);
  expect(new Tally().quantile(0.5)).toBeNull();
});

test('a tally is the same after it was encoded and decoded', () => {
  const tally = new Tally();
  tally.count(1, 3);
  tally.took(20);
  tally.waits(7, 1_000);
  expect(Tally.decode(tally.encode())).toEqual(tally);
});

test('adding tallies sums counts and durations, and keeps the latest number of waiting deliveries', () => {
  const [one, other] = [new Tally(), new Tally()];
  for (const tally of [one, other]) tally.took(20);
  one.count(0, 2);
  other.count(0, 3);
  one.waits(7, 1_000);
  other.waits(5, 2_000);
  other.took(1_000);
  one.add(other);
  expect({ counts: one.counts, durations: [...one.durations.values()], waiting: one.waiting }).toEqual({
    counts: [5, 0, 0, 0],
    durations: [2, 1],
    waiting: 5,
  });
  other.waits(9, 500);
  one.add(other);
  expect(one.waiting).toBe(5);
});

test('adding a tally without waiting deliveries leaves their number unchanged', () => {
  const [one, other] = [new Tally(), new Tally()];
  one.waits(7, 1_000);
  one.add(other);
  other.add(other);
  expect([one.waiting, other.waiting]).toEqual([7, undefined]);
});

test('a damaged text is decoded as an empty tally', () => {
  expect(Tally.decode('S[10,0,0]')).toEqual(new Tally());
});

test('a source with unlimited event names has 1,000 rows, and one for the rest', () => {
  const table = new EventTable();
  for (let number = 0; number < 1_500; number++) table.count('track', `E${number}`, false);
  table.count('identify', '', false);
  const counts = table.counts();
  expect(counts).toHaveLength(1_002);
  expect(counts.find(({ event }) => event === '(other)')?.received).toBe(500);
});

test('tables of several processes are added up, and their rows stay limited', () => {
  const [one, other, all] = [new EventTable(), new EventTable(), new EventTable()];
  for (let number = 0; number < 900; number++) one.count('track', `E${number}`, false);
  for (let number = 800; number < 1_700; number++) other.count('track', `E${number}`, true);
  for (const table of [one, other]) all.add(table.encode());
  const counts = all.counts();
  expect(counts).toHaveLength(1_001);
  expect(counts.reduce((sum, { received }) => sum + received, 0)).toBe(1_800);
  expect(counts.find(({ event }) => event === 'E850')).toEqual({
    type: 'track',
    event: 'E850',
    received: 2,
    blocked: 1,
  });
});

test('a damaged text adds nothing', () => {
  const table = new EventTable();
  table.add('S[[');
  expect(table.counts()).toEqual([]);
});

test('the name of an event is shortened and made well-formed', () => {
  expect(eventName('\u{10ffff}'.repeat(500)).length).toBe(80);
  expect(eventName('half \ud800')).toBe('half \ufffd');
  expect(eventName('Order Completed')).toBe('Order Completed');
});

test('the quantile of one half of two answers is the time of the faster one', () => {
  const tally = new Tally();
  for (const ms of [10, 1_000]) tally.took(ms);
  expect(tally.quantile(0.5)).toBeLessThan(12);
});

test('the name of an event with exactly 80 characters is not cut', () => {
  expect(eventName('x'.repeat(80))).toBe('x'.repeat(80));
  expect(eventName('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
});
