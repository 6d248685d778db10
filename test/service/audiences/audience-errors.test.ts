import { expect, test } from 'vitest';
import { syncErrors } from '../../../src/service/audiences/audience-errors.js';

test('errors of audiences and errors of computed traits have different codes', () => {
  const codes = (['audience', 'trait'] as const).flatMap((kind) => [
    syncErrors.name(kind, 'short', 'a long one').code,
    syncErrors.entry(kind, 'line 3', 'no id').code,
    syncErrors.missing({ kind, name: 'vip' }).code,
  ]);
  expect(codes).toEqual([
    'EVENTFERRY_AUDIENCE_INVALID_NAME',
    'EVENTFERRY_AUDIENCE_INVALID_MEMBER',
    'EVENTFERRY_AUDIENCE_NOT_FOUND',
    'EVENTFERRY_TRAIT_INVALID_NAME',
    'EVENTFERRY_TRAIT_INVALID_VALUE',
    'EVENTFERRY_TRAIT_NOT_FOUND',
  ]);
});

test('the error for a name says what kind of name it is, what was expected and what was given', () => {
  expect(syncErrors.name('trait', 'at most 100 characters', '101 characters').message).toBe(
    'Expected the name of a trait to be at most 100 characters, got 101 characters',
  );
  expect(syncErrors.name('audience', 'text', 'null').message).toContain('the name of an audience');
});

test('the error for an entry says where the entry is, and has its line if the list was read from lines', () => {
  const error = syncErrors.entry('audience', 'line 3', 'no id', 3);
  expect([error.message, error.line]).toEqual(['line 3: no id', 3]);
});
