import { expect, test } from 'vitest';
import { whyUnreadable } from '../../../src/base/errors/unreadable.js';

test.each([
  ['ENOENT', 'there is no file'],
  ['ENOTDIR', 'there is no file'],
  ['EISDIR', 'a folder, not a file'],
  ['EACCES', 'no permission to read'],
  ['EIO', undefined],
])('the error code %s of an unreadable file is explained as: %s', (code, why) => {
  expect(whyUnreadable(Object.assign(new Error('open'), { code }))).toBe(why);
});
