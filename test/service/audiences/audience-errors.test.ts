import { expect, test } from 'vitest';
import { SyncEntryError, SyncNameError, SyncNotFoundError } from '../../../src/service/audiences/audience-errors.js';

test('an error of an audience and one of a trait have codes of their own', () => {
  const codes = (['audience', 'trait'] as const).flatMap((kind) => [
    new SyncNameError(kind, 'short', 'a long one').code,
    new SyncEntryError(kind, 'line 3', 'no id').code,
    new SyncNotFoundError({ kind, name: 'vip' }).code,
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

test('an error of a name says of which kind it is, what was expected and what came', () => {
  expect(new SyncNameError('trait', 'at most 100 characters', '101 characters').message).toBe(
    'Expected the name of a trait to be at most 100 characters, got 101 characters',
  );
  expect(new SyncNameError('audience', 'text', 'null').message).toContain('the name of an audience');
});

test('an error of an entry says where it stands, and its line where the list came in lines', () => {
  const error = new SyncEntryError('audience', 'line 3', 'no id', 3);
  expect([error.message, error.line]).toEqual(['line 3: no id', 3]);
});
