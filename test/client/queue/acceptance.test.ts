import { expect, test } from 'vitest';
import { Acceptance } from '../../../src/client/queue/acceptance.js';

const message = new TextEncoder().encode('{}');

test('refusals of messages that stand alone are counted until one is taken', () => {
  const acceptance = new Acceptance();
  acceptance.refusedAlone();
  acceptance.refusedAlone();
  expect(acceptance.refusedInARow).toBe(2);
  acceptance.took(message);
  expect([acceptance.refusedInARow, acceptance.taken]).toEqual([0, 1]);
});

test('the message that the collector took last is kept when an answer takes none by itself', () => {
  const acceptance = new Acceptance();
  expect(acceptance.lastTaken).toBeUndefined();
  acceptance.took(message);
  acceptance.took(undefined);
  expect([acceptance.lastTaken, acceptance.taken]).toEqual([message, 2]);
});
