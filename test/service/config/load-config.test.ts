import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigFileError } from '../../../src/service/config/config-errors.js';
import { loadConfig } from '../../../src/service/config/load-config.js';
import { newFile, newFolder } from '../../cli/files.js';
import { MINIMAL, read, readValue } from './written.js';

test.each([undefined, 5, []])('loadConfig refuses %j, which is not a path', async (file) => {
  const refused = { code: 'EVENTFERRY_SERVICE_INVALID_OPTION', option: 'file', expected: 'a string' };
  await expect(loadConfig(file as never)).rejects.toMatchObject(refused);
});

test('a configuration needs one source, and has a default for everything else', () => {
  expect(read(MINIMAL)).toEqual({
    listen: { host: '127.0.0.1', port: 4100 },
    store: { type: 'lmdb', path: '/srv/data' },
    admin: { token: undefined },
    log: { level: 'info' },
    metrics: {},
    history: { maxAge: 604_800_000 },
    sources: [{ name: 'shop', writeKeys: ['k1'], destinations: [], trackSchema: { allowed: undefined, blocked: [] } }],
    destinations: [],
    audiences: { destinations: [] },
  });
});

test('objects in a configuration get the defaults of their missing values', () => {
  const config = read(`
sources:
- name: shop
  writeKeys: [k1]
  trackSchema: { allowed: [A] }
  rateLimit: { messagesPerSecond: 10 }
  rateLimitPerWriteKey: { messagesPerSecond: 5000 }
destinations:
- { name: crm, type: Webhooks, webhooks: [{ url: https://example.com/ }] }
- { name: lake, type: Webhooks, webhooks: [{ url: https://example.com/ }] }
store: { type: redis, url: rediss://cache.example.com }
listen: { port: 0 }
`);
  expect(config.listen).toEqual({ host: '127.0.0.1', port: 0 });
  expect(config.store).toEqual({ type: 'redis', url: 'rediss://cache.example.com', prefix: 'eventferry' });
  expect(config.sources[0]).toMatchObject({
    trackSchema: { allowed: ['A'], blocked: [] },
    rateLimit: { messagesPerSecond: 10, burst: 2_500 },
    rateLimitPerWriteKey: { messagesPerSecond: 5_000, burst: 5_000 },
  });
  expect(config.destinations[0]).toMatchObject({
    name: 'crm',
    type: 'Webhooks',
    enabled: true,
    webhooks: [{ url: 'https://example.com/' }],
    settle: 'any',
    retryFor: 14_400_000,
    keepAttempts: true,
  });
  expect(config.audiences).toEqual({ destinations: ['crm', 'lake'] });
});

test('a configuration is the same in JSON, with or without tabs', () => {
  const value = { sources: [{ name: 'shop', writeKeys: ['k1'] }], listen: { port: 1 } };
  const inYaml = read('listen: { port: 1 }\nsources:\n  - name: shop\n    writeKeys:\n      - k1\n');
  expect(readValue(value)).toEqual(inYaml);
  expect(read(JSON.stringify(value, undefined, '\t'))).toEqual(inYaml);
});

test('a configuration may name its schema and use anchors', () => {
  const config = read(`
$schema: ./config.schema.json
sources:
- { name: shop, writeKeys: [k1], trackSchema: &schema { blocked: [A] } }
- { name: app, writeKeys: [k2], trackSchema: *schema }
`);
  expect(config.sources[1]?.trackSchema).toEqual({ allowed: undefined, blocked: ['A'] });
  expect(config).not.toHaveProperty('$schema');
});

test('a store without a type is an lmdb store', () => {
  expect(read(`{ store: { path: kept }, ${MINIMAL} }`).store).toEqual({ type: 'lmdb', path: '/srv/kept' });
  expect(read(`{ store: {}, ${MINIMAL} }`).store).toEqual({ type: 'lmdb', path: '/srv/data' });
  const waiting = { type: 'lmdb', path: '/srv/data', lockTimeout: 0 };
  expect(read(`{ store: { lockTimeout: 0 }, ${MINIMAL} }`).store).toEqual(waiting);
});

test('the folder of a store is relative to the file', () => {
  const storeIn = (path: string) => read(`{ store: { type: lmdb, path: ${path} }, ${MINIMAL} }`).store;
  expect(storeIn('kept/here')).toEqual({ type: 'lmdb', path: '/srv/kept/here' });
  expect(storeIn('../kept')).toEqual({ type: 'lmdb', path: '/kept' });
  expect(storeIn('/var/lib/ferry')).toEqual({ type: 'lmdb', path: '/var/lib/ferry' });
});

test.each<[string, () => Promise<string>, string]>([
  ['does not exist', async () => join(await newFolder(), 'nowhere.yaml'), 'there is no file: '],
  ['is below a file', async () => join(await newFile('a', ''), 'b.yaml'), 'there is no file: '],
  ['is a folder', () => newFolder(), 'a folder, not a file: '],
  ['is not text', () => newFile('a.yaml', new Uint8Array([0x41, 0xff])), 'not UTF-8 text: '],
])('a configuration file that %s cannot be read', async (_, make, why) => {
  const file = await make();
  const error = await loadConfig(file).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConfigFileError);
  expect(error).toMatchObject({
    name: 'ConfigFileError',
    code: 'EVENTFERRY_SERVICE_CONFIG_UNREADABLE',
    file,
    message: `${why}${file}`,
  });
});
