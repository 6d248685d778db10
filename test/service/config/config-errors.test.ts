import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { errorOf } from './written.js';

test('a ConfigError lists its mistakes for a terminal', () => {
  const error = errorOf('listen: { port: -1 }\nsources: []\n');
  expect(error).toMatchObject({
    name: 'ConfigError',
    code: 'EVENTFERRY_SERVICE_INVALID_CONFIG',
    file: '/srv/eventferry.yaml',
  });
  expect(error.message).toBe(`2 mistakes in /srv/eventferry.yaml
  /srv/eventferry.yaml:1:17  listen.port: expected an integer from 0 to 65535, got number -1
  /srv/eventferry.yaml:2:10  sources: expected a list of 1 or more, got an empty list`);
  expect(errorOf('sources: []').message).toMatch(/^1 mistake in /);
});

test('a ConfigError about an object names no file and no line', () => {
  const problem = { path: 'sources[0].name', expected: 'a unique name', received: 'another' };
  expect(new ConfigError(undefined, [problem]).message).toBe(`1 mistake in the configuration
  sources[0].name: expected a unique name, got another`);
});
