import { expect, test } from 'vitest';
import { kindAt, namesAt } from '../../../src/base/options/schema-at.js';
import { configSchema } from '../../../src/service/config/schema.js';

test.each([
  ['of the whole', {}, [], 'listen'],
  ['in a list', {}, ['sources', 3], 'writeKeys'],
  ['in an object of an object in a list', {}, ['destinations', 0, 'webhooks', 1], 'url'],
  ['beside a value that is none', {}, ['destinations', 0, 'maxBacklog'], 'events'],
  ['of a store without a type', { store: {} }, ['store'], 'path'],
  ['of the store that the type names', { store: { type: 'redis' } }, ['store'], 'url'],
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
