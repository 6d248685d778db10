import { expect, test } from 'vitest';
import { contentEncodings } from '../../../src/base/http/content-encoding.js';

test.each([
  ['none', undefined, []],
  ['an empty one', '', []],
  ['identity', 'Identity', []],
  ['one', 'GZIP', ['gzip']],
  ['several', 'deflate, gzip', ['deflate', 'gzip']],
  ['the header twice, which undici gives as a list', ['gzip', 'br'], ['gzip', 'br']],
])('contentEncodings lists the encodings of a Content-Encoding header that is: %s', (_, header, names) => {
  expect(contentEncodings({ 'content-encoding': header })).toEqual(names);
});
