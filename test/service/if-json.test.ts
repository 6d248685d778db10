import { expect, test } from 'vitest';
import { ifJson } from '../../src/service/if-json.js';

test('a text of JSON is read, and a damaged one is undefined', () => {
  expect([ifJson('{"a":1}'), ifJson('null'), ifJson('{"a"')]).toEqual([{ a: 1 }, null, undefined]);
});
