import { expect, test } from 'vitest';
import { CliError, codeOf, EXIT, exitCodeOf, reasonOf } from '../../src/cli/cli-error.js';

test.each([
  [Object.assign(new Error('no'), { code: 'ENOENT' }), 'ENOENT', 'no'],
  [Object.assign(new Error('no'), { code: 7 }), undefined, 'no'],
  ['text', undefined, 'text'],
  [undefined, undefined, 'undefined'],
  [null, undefined, 'null'],
])('a thrown value such as %j has the code %s and the reason "%s"', (error, code, reason) => {
  expect([codeOf(error), reasonOf(error)]).toEqual([code, reason]);
});

test.each([
  [new CliError('no'), EXIT.usage],
  [new CliError('no', { exitCode: EXIT.failed }), EXIT.failed],
  [{ code: 'EVENTFERRY_DESTINATION_INVALID_OPTION' }, EXIT.usage],
  [{ code: 'EVENTFERRY_STORE_INVALID_OPTION' }, EXIT.unusable],
  [{ code: 'EVENTFERRY_INVALID_MESSAGE' }, EXIT.usage],
  [{ code: 'EVENTFERRY_PLAN_UNREADABLE' }, EXIT.unusable],
  [{ code: 'EVENTFERRY_SERVICE_INVALID_CONFIG' }, EXIT.unusable],
  [{ code: 'EVENTFERRY_ADMIN_CONNECTION' }, EXIT.refused],
  [new Error('unforeseen'), EXIT.failed],
  [Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }), EXIT.unusable],
])('a command that ends with %j has the exit code %i', (error, exitCode) => {
  expect(exitCodeOf(error)).toBe(exitCode);
});
