import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fullNames, parsedFile, parseHosts, parseResolvConf } from '../../../src/destination/network/name-files.js';
import { newFolder } from '../../cli/files.js';

test('a hosts file gives each name the addresses from all its lines, in lower case and without comments', () => {
  const text = '# 9.9.9.9 no\n127.0.0.1 localhost Here # there\n\n::1\tlocalhost\nnowhere here\n10.0.0.1\n';
  expect(parseHosts(text)).toEqual(
    new Map([
      ['localhost', ['127.0.0.1', '::1']],
      ['here', ['127.0.0.1']],
    ]),
  );
});

test.each<[string, string, readonly string[], number]>([
  ['is empty', '', [], 1],
  ['has comments', '; search no\n# domain no\nnameserver 10.0.0.2', [], 1],
  ['names domains twice, of which the last counts', 'search a.test\nsearch b.test c.test', ['b.test', 'c.test'], 1],
  ['names the root, which completes nothing', 'search . a.test', ['a.test'], 1],
  ['has a domain', 'domain a.test', ['a.test'], 1],
  ['has ndots', 'options rotate ndots:5 edns0', [], 5],
  ['has other options', 'options ndots:x timeout:1', [], 1],
])('a resolv.conf is parsed: it %s', (_, text, domains, ndots) => {
  expect(parseResolvConf(text)).toEqual({ domains, ndots });
});

test.each<[string, number, string[]]>([
  ['db', 1, ['db.a.test', 'db.b.test', 'db']],
  ['db.shop', 1, ['db.shop', 'db.shop.a.test', 'db.shop.b.test']],
  ['db.shop', 2, ['db.shop.a.test', 'db.shop.b.test', 'db.shop']],
  ['db.shop.', 2, ['db.shop.']],
])('the name %s with ndots %i is looked up as %j', (name, ndots, names) => {
  expect(fullNames(name, { domains: ['a.test', 'b.test'], ndots })).toEqual(names);
});

test('a parsed file is read again when it has changed, and is empty if it cannot be read', async () => {
  const path = join(await newFolder(), 'file');
  let parsed = 0;
  const read = parsedFile(path, (text) => {
    parsed++;
    return text;
  });
  expect(await read()).toBe('');
  await writeFile(path, 'one');
  expect([await read(), await read()]).toEqual(['one', 'one']);
  const before = parsed;
  await read();
  expect(parsed).toBe(before);
  await writeFile(path, 'another');
  expect(await read()).toBe('another');
  await rm(path);
  expect(await read()).toBe('');
});
