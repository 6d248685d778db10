import { expect, test } from 'vitest';
import { resolveRoute } from '../../../src/client/transport/route.js';

const none = { env: {}, execArgv: [] };
const transport = async () => ({ status: 200 });
const proxy = 'http://user:secret@proxy.test:3128';
const https = 'https://events.example.com';
const http = 'http://events.example.com';

test.each([
  ['unix:/run/events.sock', '/run/events.sock', 'http://localhost/v1/batch'],
  ['unix:/run/events.sock:/', '/run/events.sock', 'http://localhost/v1/batch'],
  ['unix:/run/events.sock:/a/b/', '/run/events.sock', 'http://localhost/a/b/v1/batch'],
  ['unix:///run/my events.sock', '///run/my events.sock', 'http://localhost/v1/batch'],
])('the endpoint %s is split into the path of a unix socket and a path for the server', (endpoint, socketPath, url) => {
  expect(resolveRoute({ endpoint }, none)).toMatchObject({ socketPath, url, origin: 'http://localhost' });
});

test('an endpoint on a unix socket does not use a proxy of the environment', () => {
  const surroundings = { env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy }, execArgv: [] };
  expect(resolveRoute({ endpoint: 'unix:/run/events.sock' }, surroundings).proxy).toBe(undefined);
  expect(resolveRoute({ endpoint: http }, surroundings).proxy?.host).toBe('proxy.test:3128');
});

test.each<[string, Parameters<typeof resolveRoute>[0], string]>([
  [
    'a proxy together with a transport',
    { endpoint: https, proxy, transport },
    'Expected `proxy` to be left out where `transport` makes the connections, got both',
  ],
  [
    'certificates together with a transport',
    { endpoint: https, tls: {}, transport },
    'Expected `tls` to be left out where `transport` makes the connections, got both',
  ],
  [
    'a unix socket together with a transport',
    { endpoint: 'unix:/run/events.sock', transport },
    'Expected `endpoint` to be an http or https URL where `transport` makes the connections, got a unix socket',
  ],
  [
    'a proxy for a unix socket',
    { endpoint: 'unix:/run/events.sock', proxy },
    'Expected `proxy` to be left out for an endpoint on a unix socket, got both',
  ],
  [
    'certificates for an http endpoint',
    { endpoint: http, tls: {} },
    'Expected `tls` to be left out for an endpoint that is not https, got an object',
  ],
  [
    'certificates for a unix socket',
    { endpoint: 'unix:/run/events.sock', tls: {} },
    'Expected `tls` to be left out for an endpoint that is not https, got an object',
  ],
])('options that could have no effect are refused: %s', (_, options, message) => {
  expect(() => resolveRoute(options, none)).toThrow(message);
});

test('proxy: false is allowed with each kind of endpoint', () => {
  expect(resolveRoute({ endpoint: https, proxy: false, transport }, none).proxy).toBe(undefined);
  expect(resolveRoute({ endpoint: 'unix:/run/events.sock', proxy: false }, none).proxy).toBe(undefined);
});
