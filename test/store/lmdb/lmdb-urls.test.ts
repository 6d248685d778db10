import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbUrls } from '../../../src/store/lmdb/lmdb-urls.js';
import { newFolder } from '../../cli/files.js';

async function openUrls() {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const table = environment.db.openDB<string, Uint8Array>({ name: 'urls', encoding: 'string', keyEncoding: 'binary' });
  return { environment, urlsOf: (destination: number) => new LmdbUrls(table, Buffer.of(0, 0, 0, destination)) };
}

test('each URL of a destination has a number, which it keeps, and which another destination gives to another URL', async () => {
  const { environment, urlsOf } = await openUrls();
  const [urls, others] = [urlsOf(1), urlsOf(2)];
  await environment.commits.run(() => {
    for (const url of ['a', 'b', 'a']) urls.register(url);
    others.register('c');
  });
  expect([urls.urlOf(0), urls.urlOf(1), others.urlOf(0)]).toEqual(['a', 'b', 'c']);
  expect(urlsOf(1).all()).toEqual(['a', 'b']);
  expect(urls.numberOf('c')).toBeUndefined();
  expect(() => urls.urlOf(2)).toThrow('No URL has the number 2');
});

test('a URL has a number within its transaction, and one that records may have once that is committed', async () => {
  const { environment, urlsOf } = await openUrls();
  const urls = urlsOf(1);
  const inside = await environment.commits.run(() => {
    urls.register('a');
    return [urls.numberOf('a'), urls.settledNumberOf('a')];
  });
  expect(inside.result).toEqual([0, undefined]);
  urls.settle();
  expect(urls.settledNumberOf('a')).toBe(0);
});
