import { expect, test } from 'vitest';
import { shownRaw } from '../../../src/ledger/examples/shown-raw.js';

test.each([
  ['{"writeKey":"hunter2"}', 100, '{"writeKey":"***"}'],
  ['{"writeKey" : "a \\" b", "x":1}', 100, '{"writeKey" : "***", "x":1}'],
  ['{"writeKey":"hunter2"}', 16, '{"writeKey":"***"…'],
  ['abcdef', 3, 'abc…'],
  ['\ud800', 3, '\ufffd'],
])('the text %j, limited to %d characters, is shown as %j', (raw, most, shown) => {
  expect(shownRaw(raw, most)).toBe(shown);
});
