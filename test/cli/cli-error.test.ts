import { expect, test } from 'vitest';
import { codeOf, reasonOf } from '../../src/cli/cli-error.js';

test.each([
  [Object.assign(new Error('no'), { code: 'ENOENT' }), 'ENOENT', 'no'],
  [Object.assign(new Error('no'), { code: 7 }), undefined, 'no'],
  ['text', undefined, 'text'],
  [undefined, undefined, 'undefined'],
  [null, undefined, 'null'],
])('what was thrown as %j has the code %s and the reason "%s"', (error, code, reason) => {
  expect([codeOf(error), reasonOf(error)]).toEqual([code, reason]);
});
