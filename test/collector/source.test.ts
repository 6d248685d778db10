import { expect, test } from 'vitest';
import { findInList, keyOfAuthorization, namedByPosition } from '../../src/collector/source.js';

const encode = (credentials: string): string => Buffer.from(credentials).toString('base64');

const headers: [string, string | undefined, string | undefined][] = [
  ['no header', undefined, undefined],
  ['Basic with the key as the user name', `Basic ${encode('key:')}`, 'key'],
  ['a scheme in lower case', `basic ${encode('key:')}`, 'key'],
  ['a password, which means nothing', `Basic ${encode('key:secret:more')}`, 'key'],
  ['a client that forgot the colon', `Basic ${encode('key')}`, 'key'],
  ['a client that left out the padding', `Basic ${encode('key1:').replaceAll('=', '')}`, 'key1'],
  ['an empty user name', `Basic ${encode(':')}`, undefined],
  ['another scheme', 'Bearer abc', undefined],
  ['nothing behind the scheme', 'Basic ', undefined],
  ['no Base64', 'Basic {}', undefined],
];

test.each(headers)('%s', (_, header, key) => {
  expect(keyOfAuthorization(header)).toBe(key);
});

test('a source from a list is handed on with its other fields and without its key', () => {
  const find = findInList([{ name: 'website', writeKey: 'k', ...{ region: 'eu' } }]);
  expect(find('k')).toEqual({ name: 'website', region: 'eu' });
});

test.each(['other', '__proto__', 'constructor'])('the key %s is unknown', (key) => {
  expect(findInList(namedByPosition(['k']))(key)).toBeUndefined();
});
