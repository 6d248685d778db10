import { expect, test } from 'vitest';
import { contentEncodings } from '../../../src/base/http/content-encoding.js';

test.each([
  ['none', undefined, []],
  ['empty', '', []],
  ['identity', 'Identity', []],
  ['one', 'GZIP', ['gzip']],
  ['several', 'deflate, gzip', ['deflate', 'gzip']],
  ['repeated, which undici passes as a list', ['gzip', 'br'], ['gzip', 'br']],
])('contentEncodings lists the encodings of a Content-Encoding header that is: %s', (_, header, names) => {
  expect(contentEncodings({ 'content-encoding': header })).toEqual(names);
});
