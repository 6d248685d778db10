import { expect, test } from 'vitest';
import {
  expressMiddleware,
  fastifyPlugin,
  honoMiddleware,
  koaMiddleware,
  withRun,
} from '../../src/middleware/index.js';
import { checkRequestOptions } from '../../src/middleware/request-options.js';
import { client } from '../support/client.js';

test.each([
  [{ useragent: true }, '`useragent`'],
  [{ anonymousId: 'aid' }, "{ cookie: 'name' }, { cookie: 'name', set: {} } or { header: 'name' }"],
  [{ anonymousId: { cookie: 'a b' } }, "{ cookie: 'name' }, { cookie: 'name', set: {} } or { header: 'name' }"],
  [{ anonymousId: { header: 'aid', set: {} } }, 'Expected `anonymousId`'],
  [{ anonymousId: { cookie: 'aid', set: { maxAge: 0 } } }, '`anonymousId.set.maxAge` to be an integer from 1 up'],
  [{ page: { search: true } }, '`page.search` to be a known option'],
  [{ userId: 'u1' }, '`userId` to be a function'],
  [{ trustedProxies: -1 }, 'an integer from 0 up'],
  [{ waitUntil: true }, 'a function'],
  [{ ip: 'x-real-ip' }, 'true, false or a function of a request'],
])('the options %j of a middleware are refused', async (options, text) => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  const makers: ((client: typeof analytics, options: never) => unknown)[] = [
    expressMiddleware,
    koaMiddleware,
    fastifyPlugin,
    honoMiddleware,
  ];
  for (const make of makers) expect(() => make(analytics, options as never)).toThrow(text);
  expect(() => withRun(analytics, () => {}, options as never)).toThrow(text);
});

test('the options of a middleware may all be missing or all be present', () => {
  checkRequestOptions({});
  checkRequestOptions({
    waitUntil: () => {},
    ip: () => '1.1.1.1',
    userAgent: true,
    locale: true,
    page: { query: true },
    userId: () => 'u1',
    traceparent: true,
    anonymousId: { header: 'X-Anonymous-Id' },
    trustedProxies: 2,
  });
});
