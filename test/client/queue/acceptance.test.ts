import { expect, test } from 'vitest';
import { ForgottenError } from '../../../src/base/errors/errors.js';
import { Acceptance } from '../../../src/client/queue/acceptance.js';
import { batchOf, delivered } from './collector.js';

const message = new TextEncoder().encode('{}');

test('refusals of single messages are counted until one is accepted', () => {
  const acceptance = new Acceptance();
  acceptance.refusedInARow++;
  acceptance.refusedInARow++;
  expect(acceptance.refusedInARow).toBe(2);
  acceptance.took(message);
  expect([acceptance.refusedInARow, acceptance.taken]).toEqual([0, 1]);
});

test('the last accepted message is kept when a response accepts nothing', () => {
  const acceptance = new Acceptance();
  expect(acceptance.lastTaken).toBeUndefined();
  acceptance.took(message);
  acceptance.took(undefined);
  expect([acceptance.lastTaken, acceptance.taken]).toEqual([message, 2]);
});

const naming = (...indexes: number[]) => indexes.map((index) => ({ index, reason: 'BAD' }));

test('a response whose list has an index beyond the last message does not say which are refused, and accepts none', () => {
  const acceptance = new Acceptance();
  const answer = acceptance.judge({ ...delivered, rejections: naming(2) }, batchOf(2), 0, 2);
  expect(answer).toMatchObject({ kind: 'split', isInDoubt: false, error: { answer: 'BAD' } });
  expect(acceptance.taken).toBe(0);
});

test('a response whose list has a valid index and one beyond the last message does not say which are refused', () => {
  const acceptance = new Acceptance();
  const answer = acceptance.judge({ ...delivered, rejections: naming(0, 2) }, batchOf(2), 0, 2);
  expect(answer).toMatchObject({ kind: 'split', isInDoubt: false });
});

test('a 400 that names exactly the messages that were sent refuses them and counts as an answer of the collector', () => {
  const refusal = { verdict: 'split', status: 400, answer: 'no', rejections: naming(0, 1) } as const;
  const answer = new Acceptance().judge(refusal, batchOf(2), 0, 2);
  expect(answer).toMatchObject({ kind: 'taken', errorOf: expect.any(Function) });
});

test.each([
  ['an index beyond the last', naming(0, 2)],
  ['one of them twice', naming(1, 1)],
  ['one alone', naming(1)],
])('a 400 to two messages that names %s may refuse every message', (_, rejections) => {
  const refusal = { verdict: 'split', status: 400, answer: 'no', rejections } as const;
  expect(new Acceptance().judge(refusal, batchOf(2), 0, 2)).toMatchObject({ kind: 'split', isInDoubt: true });
});

test('a message that was dropped does not become the last accepted message', () => {
  const [acceptance, batch] = [new Acceptance(), batchOf(3)];
  batch.drop(2, new ForgottenError());
  acceptance.judge(delivered, batch, 0, 3);
  expect(new TextDecoder().decode(acceptance.lastTaken)).toBe('1');
});
