import { describe, expect, test } from 'vitest';
import { changesBetween, takenOver } from '../../../src/service/config/changes.js';
import type { ServiceConfig } from '../../../src/service/config/config.js';
import { COMPLETE, withValue } from './complete.js';
import { readValue } from './written.js';

const before = readValue(COMPLETE);
const linesWith = (after: ServiceConfig): readonly string[] => changesBetween(before, after).lines;
const changed = (keys: readonly (string | number)[], other: unknown): ServiceConfig =>
  readValue(withValue(COMPLETE, keys, other));

describe('between two configurations', () => {
  test('equal configurations have no changes', () => {
    const nothing = { added: [], removed: [], changed: [] };
    expect(changesBetween(before, readValue(COMPLETE))).toEqual({
      sources: nothing,
      destinations: nothing,
      adminToken: false,
      admin: [],
      others: [],
      restart: [],
      lines: [],
    });
  });

  test('changes name new, removed and different sources and destinations', () => {
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
    expect(changesBetween(before, after)).toMatchObject({
      sources: { added: ['site'], removed: ['app'], changed: ['shop'] },
      destinations: { added: ['store'], removed: ['lake'], changed: ['crm'] },
      lines: [
        'source site is new',
        'source shop changed',
        'source app is gone',
        'destination store is new',
        'destination crm changed',
        'destination lake is gone',
      ],
    });
  });

  test('another order of sources is no change', () => {
    expect(linesWith(readValue({ ...COMPLETE, sources: COMPLETE.sources.toReversed() }))).toEqual([]);
  });

  test.each<[readonly (string | number)[], unknown, object, string]>([
    [['admin', 'token'], 'another-token-hunter3', { adminToken: true }, 'admin.token changed'],
    [['metrics', 'token'], 'another-token-hunter3', { others: ['metrics.token'] }, 'metrics.token changed'],
    [['log', 'level'], 'warn', { others: ['log.level'] }, 'log.level changed'],
    [['history', 'maxAge'], 60_000, { others: ['history.maxAge'] }, 'history.maxAge changed'],
    [['audiences', 'destinations'], ['lake'], { others: ['audiences.destinations'] }, 'audiences.destinations changed'],
    [['sources', 0, 'writeKeys', 0], 'hunter3', { sources: { changed: ['shop'] } }, 'source shop changed'],
    [
      ['destinations', 0, 'webhooks', 1, 'secret'],
      'hunter3',
      { destinations: { changed: ['crm'] } },
      'destination crm changed',
    ],
    [
      ['listen', 'port'],
      8081,
      { restart: ['listen.port'] },
      'listen.port changed, and stays as it was until the service is started again',
    ],
    [
      ['admin', 'listen', 'port'],
      9091,
      { restart: ['admin.listen.port'], admin: [] },
      'admin.listen.port changed, and stays as it was until the service is started again',
    ],
    [
      ['store', 'url'],
      'redis://:hunter3@cache',
      { restart: ['store.url'] },
      'store.url changed, and stays as it was until the service is started again',
    ],
  ])('a change of %j is reported without its value', (keys, other, expected, line) => {
    const changes = changesBetween(before, changed(keys, other));
    expect(changes).toMatchObject(expected);
    expect(changes.lines).toEqual([line]);
    expect(JSON.stringify(changes)).not.toMatch(/hunter/);
  });

  test('another kind of store changes all of its keys', () => {
    const { restart } = changesBetween(before, changed(['store'], { type: 'lmdb' }));
    expect(restart).toEqual([
      'store.type',
      'store.url',
      'store.ca',
      'store.prefix',
      'store.waitForDisk',
      'store.waitForReplicas',
      'store.path',
    ]);
  });
});

test('a running service takes over all of a configuration but listen and store', () => {
  const after = readValue({ ...COMPLETE, listen: { port: 1 }, store: { type: 'lmdb' }, log: { level: 'error' } });
  const config = takenOver(before, after);
  expect(config).toEqual({ ...after, listen: before.listen, store: before.store });
  expect(changesBetween(before, config).restart).toEqual([]);
});
