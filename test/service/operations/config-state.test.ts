import { expect, test } from 'vitest';
import { ConfigState } from '../../../src/service/operations/config-state.js';

const refusedFor = (mistakes: number): string | undefined => {
  const state = new ConfigState(() => 0);
  state.refused(
    [`${mistakes} mistakes in a file`, ...Array.from({ length: mistakes }, (_, at) => `  m${at}`)].join('\n'),
  );
  return state.error;
};

test('the first three of many mistakes in a configuration are reported, with the number of the rest', () => {
  expect(refusedFor(498)).toBe('498 mistakes in a file\n  m0\n  m1\n  m2\n  and 495 more, in the log');
});

test('three mistakes of a configuration are reported in full', () => {
  expect(refusedFor(3)).toBe('3 mistakes in a file\n  m0\n  m1\n  m2');
});

test('a configuration that is accepted clears the earlier mistakes', () => {
  const state = new ConfigState(() => 0);
  state.refused('no');
  state.taken();
  expect([state.error, state.good, state.bad]).toEqual([undefined, 1, 1]);
});
