import { describe, expect, test } from 'vitest';
import { changesBetween, takenOver } from '../../../src/service/config/config-changes.js';
import type { ServiceConfig } from '../../../src/service/config/service-config.js';
import { COMPLETE, withValue } from './complete.js';
import { readValue } from './written.js';

const before = readValue(COMPLETE);
const linesWith = (after: ServiceConfig): readonly string[] => changesBetween(before, after).lines;
const changed = (keys: readonly (string | number)[], other: unknown): ServiceConfig =>
  readValue(withValue(COMPLETE, keys, other));

const UNTIL_RESTART = ', and stays as it was until the service is started again';

describe('changes between two configurations', () => {
  test('equal configurations have no changes', () => {
    expect(changesBetween(before, readValue(COMPLETE))).toEqual({ adminToken: false, lines: [] });
  });

  test('the list of changes names new, removed and changed sources and destinations', () => {
    const [shop, app] = COMPLETE.sources;
    const [crm, lake] = COMPLETE.destinations;
    const after = readValue({
      ...COMPLETE,
      sources: [
        { ...shop, destinations: ['store'] },
        { ...app, name: 'site', destinations: [] },
      ],
      destinations: [
        { ...lake, name: 'store' },
        { ...crm, requestTimeout: 2_000 },
      ],
    });
    expect(linesWith(after)).toEqual([
      'source site is new',
      'source shop: destinations changed',
      'source app is gone',
      'destination store is new',
      'destination crm: requestTimeout changed from 1000 to 2000',
      'destination lake is gone',
    ]);
  });

  test('another order of sources is not a change', () => {
    expect(linesWith(readValue({ ...COMPLETE, sources: COMPLETE.sources.toReversed() }))).toEqual([]);
  });

  test.each<[readonly (string | number)[], unknown, string]>([
    [['admin', 'token'], 'another-token-hunter3', 'admin.token changed'],
    [['metrics', 'token'], 'another-token-hunter3', 'metrics.token changed'],
    [['admin', 'tokens', 0, 'token'], 'hunter3-of-ana-hunter3', 'admin.tokens changed'],
    [['metrics', 'perDestination'], false, 'metrics.perDestination changed from true to false'],
    [['log', 'level'], 'warn', 'log.level changed'],
    [['history', 'maxAge'], 60_000, 'history.maxAge changed from 86400000 to 60000'],
    [['audiences', 'destinations'], ['lake'], 'audiences.destinations changed'],
    [['sources', 0, 'writeKeys', 0], 'hunter3', 'source shop: writeKeys changed'],
    [['destinations', 0, 'webhooks', 1, 'secret'], 'hunter3', 'destination crm: webhooks changed'],
    [['listen', 'port'], 8081, `listen.port changed from 8080 to 8081${UNTIL_RESTART}`],
    [['admin', 'listen', 'port'], 9091, `admin.listen.port changed from 9090 to 9091${UNTIL_RESTART}`],
    [['store', 'url'], 'redis://:hunter3@cache', `store.url changed${UNTIL_RESTART}`],
  ])('a change of %j is reported without texts, which may be secrets', (keys, other, line) => {
    const adminToken = line.startsWith('admin.token');
    expect(changesBetween(before, changed(keys, other))).toEqual({ adminToken, lines: [line] });
  });

  test('a change of the type of store counts as a change of all its keys', () => {
    const keys = ['type', 'url', 'ca', 'prefix', 'waitForDisk', 'waitForReplicas', 'path'];
    expect(linesWith(changed(['store'], { type: 'lmdb' }))).toEqual(
      keys.map((key) => `store.${key} changed${UNTIL_RESTART}`),
    );
  });
});

test('a running service applies everything of a configuration except `listen` and `store`', () => {
  const admin = { ...COMPLETE.admin, listen: { port: 2 }, trustedProxies: 2 };
  const after = readValue({
    ...COMPLETE,
    listen: { port: 1 },
    admin,
    store: { type: 'lmdb' },
    log: { level: 'error' },
  });
  const config = takenOver(before, after);
  expect(config).toEqual({
    ...after,
    listen: before.listen,
    admin: { ...after.admin, listen: before.admin.listen },
    store: before.store,
  });
  expect(linesWith(config)).toEqual(['admin.trustedProxies changed from 1 to 2', 'log.level changed']);
});
