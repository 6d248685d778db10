import { afterEach, expect, test, vi } from 'vitest';
import { warnOnce } from '../../src/middleware/request-fields.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('a repeated mistake of one kind gives only one process warning', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  warnOnce('one', 'a function threw no');
  warnOnce('one', 'a function threw yes');
  warnOnce('another', 'a function threw no');
  const options = { type: 'EventferryWarning', code: 'EVENTFERRY_VISITOR' };
  expect(emit.mock.calls).toEqual(Array(2).fill(['eventferry: a function threw no; this is told once', options]));
});

test('on a platform without `process`, a mistake is printed on the console', () => {
  vi.stubGlobal('process', undefined);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  warnOnce('elsewhere', 'a function threw no');
  vi.unstubAllGlobals();
  expect(warn.mock.calls).toEqual([['eventferry: a function threw no; this is told once (EVENTFERRY_VISITOR)']]);
});
