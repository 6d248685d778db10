import { expect, test } from 'vitest';
import { httpUrlIn, isBaseUrl } from '../../../src/base/text/http-url.js';

test.each([
  ['https://example.com', true, true],
  ['http://127.0.0.1:4100/path', true, true],
  ['https://user:password@example.com/', true, false],
  ['https://user@example.com/', true, false],
  ['https://example.com/?token=x', true, false],
  ['https://example.com/#part', true, false],
  ['https://example.com:0/', false, false],
  ['ftp://example.com/', false, false],
  ['example.com', false, false],
])('%s is a usable http URL: %s; paths can be appended to it: %s', (text, isHttp, isBase) => {
  expect([httpUrlIn(text) !== undefined, isBaseUrl(text)]).toEqual([isHttp, isBase]);
});
