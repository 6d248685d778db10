import { expect, test } from 'vitest';
import { findInList, namedByPosition } from '../../src/collector/find-source.js';

test('a source from a list is returned with its other fields and without its key', () => {
  const find = findInList([{ name: 'website', writeKey: 'k', ...{ region: 'eu' } }]);
  expect(find('k')).toEqual({ name: 'website', region: 'eu' });
});

test.each(['other', '__proto__', 'constructor'])('the key %s is unknown', (key) => {
  expect(findInList(namedByPosition(['k']))(key)).toBeUndefined();
});
