import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigFileError } from '../../../src/service/config/errors.js';
import { loadConfig } from '../../../src/service/config/load.js';
import { newFile, newFolder } from '../../cli/files.js';
import { MINIMAL, read, readValue } from './written.js';

describe('a configuration', () => {
  test('a configuration needs one source, and has a default for everything else', () => {
    expect(read(MINIMAL)).toEqual({
      listen: { host: '127.0.0.1', port: 4100 },
      store: { type: 'lmdb', path: '/srv/data' },
      admin: { token: undefined },
      log: { level: 'info' },
      sources: [
        { name: 'shop', writeKeys: ['k1'], destinations: [], trackSchema: { allowed: undefined, blocked: [] } },
      ],
      destinations: [],
      audiences: { destinations: [] },
    });
  });

  test('a configuration has defaults inside objects that are there', () => {
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
    expect(config.destinations[0]).toEqual({
      name: 'crm',
      type: 'Webhooks',
      enabled: true,
      sharedSecret: undefined,
      webhooks: [{ url: 'https://example.com/' }],
      settle: 'any',
    });
    expect(config.audiences).toEqual({ destinations: ['crm', 'lake'] });
  });

  test('a configuration is the same in JSON, with or without tabs', () => {
    const value = { sources: [{ name: 'shop', writeKeys: ['k1'] }], listen: { port: 1 } };
    const inYaml = read('listen: { port: 1 }\nsources:\n  - name: shop\n    writeKeys:\n      - k1\n');
    expect(readValue(value)).toEqual(inYaml);
    expect(read(JSON.stringify(value, undefined, '\t'))).toEqual(inYaml);
  });

  test('a configuration may name its schema, and may use anchors', () => {
    const config = read(`
$schema: ./config.schema.json
sources:
  - { name: shop, writeKeys: [k1], trackSchema: &schema { blocked: [A] } }
  - { name: app, writeKeys: [k2], trackSchema: *schema }
`);
    expect(config.sources[1]?.trackSchema).toEqual({ allowed: undefined, blocked: ['A'] });
    expect(config).not.toHaveProperty('$schema');
  });

  test('a store without a type is lmdb', () => {
    expect(read(`{ store: { path: kept }, ${MINIMAL} }`).store).toEqual({ type: 'lmdb', path: '/srv/kept' });
    expect(read(`{ store: {}, ${MINIMAL} }`).store).toEqual({ type: 'lmdb', path: '/srv/data' });
  });

  test('the folder of a store is relative to the file', () => {
    const storeIn = (path: string) => read(`{ store: { type: lmdb, path: ${path} }, ${MINIMAL} }`).store;
    expect(storeIn('kept/here')).toEqual({ type: 'lmdb', path: '/srv/kept/here' });
    expect(storeIn('../kept')).toEqual({ type: 'lmdb', path: '/kept' });
    expect(storeIn('/var/lib/ferry')).toEqual({ type: 'lmdb', path: '/var/lib/ferry' });
  });
});

describe('the environment', () => {
  test('variables are replaced in texts, whole or in part, and nowhere else', () => {
    const config = read(
      `
sources: [{ name: shop, writeKeys: ["\${KEY}", "a-\${KEY}-\${OTHER}", "$\${KEY}", "$KEY"] }]
`,
      { KEY: 'k1', OTHER: '${KEY}' },
    );
    expect(config.sources[0]?.writeKeys).toEqual(['k1', 'a-k1-${KEY}', '${KEY}', '$KEY']);
  });

  test('a variable is a number or a boolean where one is expected, and text elsewhere', () => {
    const config = read(
      `
listen: { port: "\${NUMBER}" }
sources: [{ name: "\${NUMBER}", writeKeys: ["\${NUMBER}", "\${SWITCH}"] }]
destinations:
  - name: crm
    type: Webhooks
    enabled: \${SWITCH}
    webhooks: [{ url: https://example.com/, requestTimeout: "\${NUMBER}0" }]
`,
      { NUMBER: '4100', SWITCH: 'false' },
    );
    expect(config.listen.port).toBe(4100);
    expect(config.sources[0]).toMatchObject({ name: '4100', writeKeys: ['4100', 'false'] });
    expect(config.destinations[0]).toMatchObject({ enabled: false, webhooks: [{ requestTimeout: 41_000 }] });
  });

  test('the environment is that of the process unless another is given', async () => {
    vi.stubEnv('EVENTFERRY_TEST_KEY', 'k1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = await newFile('eventferry.yaml', 'sources: [{ name: shop, writeKeys: ["${EVENTFERRY_TEST_KEY}"] }]');
    expect((await loadConfig(file)).sources[0]?.writeKeys).toEqual(['k1']);
    const { sources } = await loadConfig(file, { env: { EVENTFERRY_TEST_KEY: 'k2' } });
    expect(sources[0]?.writeKeys).toEqual(['k2']);
  });
});

describe('a file that cannot be read', () => {
  test.each<[string, () => Promise<string>, string]>([
    ['is not there', async () => join(await newFolder(), 'nowhere.yaml'), 'there is no file: '],
    ['is below a file', async () => join(await newFile('a', ''), 'b.yaml'), 'there is no file: '],
    ['is a folder', () => newFolder(), 'a folder, not a file: '],
    ['is no text', () => newFile('a.yaml', new Uint8Array([0xff, 0xfe, 0x41])), 'not UTF-8 text: '],
  ])('%s', async (_, make, why) => {
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
});
