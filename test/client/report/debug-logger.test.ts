import createDebug from 'debug';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { debugLogger, isDebugging } from '../../../src/client/report/debug-logger.js';

test.each([
  ['analytics', true],
  ['*', true],
  ['express:*,analytics', true],
  ['express:* analytics', true],
  ['analy*', true],
  ['*lytics', true],
  ['*,-analytics', false],
  ['-analytics,*', false],
  ['*,-other', true],
  ['', false],
  ['analytics:queue', false],
  ['Analytics', false],
  ['-analytics', false],
])('with DEBUG=%s, the steps of a client are logged: %s', (debug, expected) => {
  expect(isDebugging(debug, 'analytics')).toBe(expected);
});

test('any text in DEBUG is read without an error', () => {
  const part = fc.constantFrom('analytics', '*', '-', ',', ' ', 'ana', 'lytics', 'other', ':', '-analytics', 'a*s');
  const value = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(value, (debug) => {
      createDebug.enable(debug);
      expect(isDebugging(debug, 'analytics')).toBe(createDebug.enabled('analytics'));
    }),
    { numRuns: 2_000 },
  );
  createDebug.disable();
});

test('with DEBUG=analytics, steps are written to standard error with their time', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  debugLogger('analytics')?.debug('eventferry: a step: done');
  const written = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(written).toEqual([expect.stringMatching(/^eventferry: \d{4}-\d\d-\d\dT.*Z a step: done\n$/)]);
});

test('without DEBUG, nothing is written to standard error', () => {
  expect(debugLogger('')).toBeUndefined();
});
