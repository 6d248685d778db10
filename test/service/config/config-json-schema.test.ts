import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolveOptions } from '../../../src/destination/settings/destination-options.js';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { type ConfigJsonSchema, configJsonSchema } from '../../../src/service/config/config-json-schema.js';
import { readBuilt, STALE } from '../../support/built.js';
import { runs } from '../../support/runs.js';
import { COMPLETE, waysInto, withValue } from './complete.js';
import { readValue } from './written.js';

const schema = configJsonSchema();
const isValid = new Ajv({ strict: true, strictTypes: false }).compile<unknown>(schema);
const ENV = { NUMBER: '5', SWITCH: 'true', TEXT: 'any', LONG: 'a'.repeat(20) };

const isTaken = (value: unknown): boolean => {
  try {
    readValue(value, ENV);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
};

/** Returns every property with its path. */
const propertiesOf = (node: ConfigJsonSchema, at = ''): [string, ConfigJsonSchema][] => [
  ...Object.entries(node.properties ?? {}).flatMap<[string, ConfigJsonSchema]>(([name, property]) => [
    [`${at}.${name}`, property],
    ...propertiesOf(property, `${at}.${name}`),
  ]),
  ...((node['anyOf'] as ConfigJsonSchema[] | undefined) ?? []).flatMap((option) => propertiesOf(option, at)),
  ...(node.items === undefined ? [] : propertiesOf(node.items, `${at}[]`)),
];

const properties = propertiesOf(schema);

/** These keys are not in the complete configuration, because its store has the other type. */
const OF_LMDB = ['.store.path', '.store.lockTimeout'];
/** These keys are not in it, because it names a single server. */
const OF_SEVERAL = ['.store.cluster', '.store.partitions', '.store.sentinels'];

/** This key is not in it, because it contains the plan itself. */
const OF_FILE = '.sources.trackingPlan.file';

describe('the JSON Schema', () => {
  test('the JSON Schema in the package is up to date', () => {
    expect(JSON.parse(readBuilt('config.schema.json')), STALE).toEqual(schema);
  });

  test('the JSON Schema describes every property', () => {
    expect(properties.length).toBeGreaterThan(35);
    expect(properties.filter(([, { description }]) => typeof description !== 'string')).toEqual([]);
  });

  test('complete.ts has exactly the keys of the JSON Schema, and the JSON Schema accepts it', () => {
    expect(isValid(COMPLETE)).toBe(true);
    const known = new Set(properties.map(([path]) => path.replaceAll('[]', '')));
    const there = waysInto(COMPLETE)
      .map((keys) => `.${keys.filter((key) => typeof key === 'string').join('.')}`)
      .filter((path) => path !== '.' && !/headers\.|plan\./.test(path));
    expect([...new Set(there)].sort(), 'give each key a value in test/service/config/complete.ts').toEqual(
      [...known].filter((path) => ![...OF_LMDB, ...OF_SEVERAL, OF_FILE].includes(path)).sort(),
    );
  });

  test('the JSON Schema contains the defaults of a destination', () => {
    const defaultOf = (name: string) => properties.find(([path]) => path === `.destinations[].${name}`)?.[1]['default'];
    const settings = resolveOptions({ webhooks: [{ url: 'https://example.com/' }] });
    expect(defaultOf('settle')).toBe(settings.settle);
    expect(defaultOf('enabled')).toBe(settings.enabled);
    expect(defaultOf('retryFor')).toBe(settings.retryForMs);
    expect(defaultOf('requestTimeout')).toBe(settings.webhooks[0]?.timeoutMs);
    expect(defaultOf('concurrency')).toBe(settings.concurrency);
    expect([defaultOf('allowCidrs'), defaultOf('allowLoopback')]).toEqual([[], false]);
    expect(settings.allowed).toEqual([]);
  });

  test('the JSON Schema contains the defaults of the service', () => {
    const { listen, store, log } = readValue({ sources: [{ name: 'a', writeKeys: ['a'] }] });
    const defaultOf = (path: string) => properties.find(([at]) => at === path)?.[1]['default'];
    expect({ host: defaultOf('.listen.host'), port: defaultOf('.listen.port') }).toEqual(listen);
    expect({ type: store.type, path: '/srv/data' }).toEqual(store);
    expect([defaultOf('.store.path'), defaultOf('.log.level')]).toEqual(['data', log.level]);
  });
});

const source = { name: 'shop', writeKeys: ['k1'] };
const webhook = { url: 'https://example.com/' };
const crm = { name: 'crm', type: 'Webhooks', webhooks: [webhook] };

describe('values that the schema and the service accept', () => {
  test.each<[string, object]>([
    ['the minimum', {}],
    ['both stores', { store: { type: 'lmdb', path: 'a' } }],
    ['a number from the environment', { listen: { port: '${NUMBER}' } }],
    ['a switch from the environment', { destinations: [{ ...crm, enabled: '${SWITCH}' }] }],
    ['one of a few names from the environment', { destinations: [{ ...crm, settle: '${TEXT}' }] }],
    ['a text from the environment', { admin: { token: '${LONG}' }, sources: [{ ...source, name: '${TEXT}' }] }],
    ['a URL from the environment', { destinations: [{ ...crm, webhooks: [{ url: 'https://${TEXT}.example.com/' }] }] }],
  ])('both the schema and the service accept %s', (_, part) => {
    const value = { sources: [source], ...part };
    expect([isValid(value), isTaken(value)]).toEqual([true, true]);
  });
});

describe('values that the schema and the service refuse', () => {
  test.each<[string, object]>([
    ['no sources', { sources: [] }],
    ['an unknown key', { sauces: [] }],
    ['an unknown key of a webhook', { destinations: [{ ...crm, webhooks: [{ ...webhook, secert: 'a' }] }] }],
    ['a key of the other store', { store: { type: 'lmdb', url: 'redis://a' } }],
    ['a store of another type', { store: { type: 'sqlite' } }],
    ['a URL of another scheme', { store: { type: 'redis', url: 'http://a' } }],
    ['a webhook without a URL', { destinations: [{ ...crm, webhooks: [{}] }] }],
    ['a destination without a name', { destinations: [{ type: 'Webhooks', webhooks: [webhook] }] }],
    [
      'six webhooks',
      { destinations: [{ ...crm, webhooks: [1, 2, 3, 4, 5, 6].map((n) => ({ url: `${webhook.url}${n}` })) }] },
    ],
    ['a port in quotes', { listen: { port: '4100' } }],
    ['a port that is too high', { listen: { port: 65_536 } }],
    ['a short token', { admin: { token: 'short' } }],
    ['a log level', { log: { level: 'trace' } }],
    ['a write key with a colon', { sources: [{ ...source, writeKeys: ['a:b'] }] }],
    ['a name with a slash', { sources: [{ ...source, name: 'a/b' }] }],
    ['a header that is a number', { destinations: [{ ...crm, webhooks: [{ ...webhook, headers: { A: 1 } }] }] }],
    ['an empty secret', { destinations: [{ ...crm, sharedSecret: '' }] }],
    ['an ftp URL', { destinations: [{ ...crm, webhooks: [{ url: 'ftp://example.com' }] }] }],
  ])('both the schema and the service refuse %s', (_, part) => {
    const value = { sources: [source], ...part };
    expect([isValid(value), isTaken(value)]).toEqual([false, false]);
  });
});

test('any value is accepted or refused with a reason, and the JSON Schema accepts whatever the service accepts', () => {
  const others = fc.oneof(
    fc.constantFrom<unknown>('', 'any', 'each', 'Webhooks', 'lmdb', '${NUMBER}', '${SWITCH}', '${TEXT}', 'a/b', 'A:b'),
    fc.constantFrom<unknown>(0, 1, 1.5, -1, 1_001, 60_001, 90_000_000, true, false, null, [], {}, ['crm'], [{}]),
    fc.constantFrom<unknown>({ 'a.b': 1 }, { 'a[0]': 1 }, { '': 1 }, [[]], [['a']], [null], { constructor: 1 }),
    fc.webUrl(),
    fc.string(),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...waysInto(COMPLETE)), others, (keys, other) => {
      const value = withValue(COMPLETE, keys, other);
      if (isTaken(value)) expect(isValid(value), JSON.stringify(isValid.errors)).toBe(true);
    }),
    { numRuns: runs(150, 500) },
  );
});

describe('configurations that the schema accepts', () => {
  const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

  test('the schema accepts the example', () => {
    expect(isValid(parse(read('examples/serve/eventferry.yaml')))).toBe(true);
  });

  test('the schema accepts the configurations in the documentation', () => {
    const blocks = [...read('docs/configuration.md').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);
    expect(blocks).toHaveLength(2);
    for (const block of blocks) expect(isValid(parse(block)), JSON.stringify(isValid.errors)).toBe(true);
  });
});
