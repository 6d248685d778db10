import { expect, test } from 'vitest';
import { EventTable, eventName } from '../../../src/ledger/counts/event-table.js';

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
