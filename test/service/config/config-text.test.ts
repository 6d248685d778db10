import { expect, test } from 'vitest';
import { ConfigText } from '../../../src/service/config/config-text.js';

test('a text that is plain JSON has its value, and the places of its parts when they are asked for', () => {
  const text = new ConfigText('{\n  "a": 1\n}');
  expect(text.json).toEqual({ a: 1 });
  expect(text.parsed.document?.toJS()).toEqual({ a: 1 });
  expect(new ConfigText('a: 1').json).toBeUndefined();
});
