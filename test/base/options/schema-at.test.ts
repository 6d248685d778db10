import { expect, test } from 'vitest';
import { kindAt, namesAt } from '../../../src/base/options/schema-at.js';
import { configSchema } from '../../../src/service/config/schema.js';

test.each([
  ['at the top level', {}, [], 'listen'],
  ['of an entry of a list', {}, ['sources', 3], 'writeKeys'],
  ['of an entry of a nested list', {}, ['destinations', 0, 'webhooks', 1], 'url'],
  ['next to an invalid value', {}, ['destinations', 0, 'maxBacklog'], 'events'],
  ['of a store without a type', { store: {} }, ['store'], 'path'],
  ['of the store that its type selects', { store: { type: 'redis' } }, ['store'], 'url'],
])('namesAt finds the names %s of a configuration', (_, value, keys, name) => {
  expect(namesAt(configSchema, value, keys)).toContain(name);
});

test.each([
  [['listen', 'port', 'x']],
  [['nothing']],
  [['listen', 'constructor']],
  [['destinations', 0, 'allowLoopback']],
])('namesAt finds no names at %j, where a configuration has no object', (keys) => {
  expect(namesAt(configSchema, {}, keys)).toEqual([]);
});

test.each([
  [['listen', 'port'], 'number'],
  [['destinations', 0, 'allowLoopback'], 'boolean'],
  [['destinations', 0, 'maxBacklog', 'age'], 'number'],
  [['listen', 'host'], undefined],
  [['nothing', 'at', 'all'], undefined],
])('kindAt of a configuration at %j is %s', (keys, kind) => {
  expect(kindAt(configSchema, undefined, keys)).toBe(kind);
});
