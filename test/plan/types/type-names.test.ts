import { expect, test } from 'vitest';
import { propertyKey, typeNames } from '../../../src/plan/types/type-names.js';

test.each([
  ['Order Completed', 'OrderCompleted'],
  ['order_completed', 'OrderCompleted'],
  ['3D Viewer Opened', 'Event3DViewerOpened'],
  ['Größe gewählt', 'GrößeGewählt'],
  ['🎉', 'Event'],
  ['*/ evil', 'Evil'],
])('the type of the event %j is called %s', (text, name) => {
  expect(typeNames([])(text)).toBe(name);
});

test('each generated type has a name that no other type and nothing else in the file has', () => {
  const names = typeNames(['Schema']);
  expect(['schema', 'A b', 'a-b', 'A B'].map((text) => names(text))).toEqual(['Schema2', 'AB', 'AB2', 'AB3']);
});

test.each([
  ['total', 'total'],
  ['net total', '"net total"'],
  ['1st', '"1st"'],
  ['a"b', '"a\\"b"'],
])('the property %j is written %s', (name, key) => {
  expect(propertyKey(name)).toBe(key);
});
