import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { explainListening, listenOn, urlOf } from '../../../src/cli/listen/listen-on.js';
import { run } from '../command.js';

test('dev on a port in use suggests another', async () => {
  const server = createServer();
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  const { code, err } = await run(['dev', '--port', String(port)]);
  server.close();
  expect(code).toBe(3);
  expect(err).toBe(
    `dev: port ${port} is already in use; try --port ${port + 1}, or --port 0 for any free one (EADDRINUSE)\n`,
  );
});

test.each([
  ['EADDRINUSE', 4100, 'port 4100 is already in use; try --port 4101, or --port 0 for any free one'],
  ['EADDRINUSE', 65_535, 'port 65535 is already in use; try --port 0, or --port 0 for any free one'],
  ['EACCES', 80, 'port 80 needs more privileges; try a port from 1024 up'],
  ['EADDRNOTAVAIL', 4100, 'nowhere is not an address of this machine; --host 127.0.0.1 is'],
  ['ENOTFOUND', 4100, 'nowhere is not an address of this machine; --host 127.0.0.1 is'],
  ['EOTHER', 4100, 'the reason'],
])('a server that cannot listen with %s on port %i gives advice', (code, port, message) => {
  const error = Object.assign(new Error('the reason'), { code });
  expect(explainListening(error, { port, host: 'nowhere' }).message).toBe(message);
});

test('the URL of an IPv6 address has brackets', () => {
  expect([urlOf('::1', 80), urlOf('127.0.0.1', 80)]).toEqual(['http://[::1]:80', 'http://127.0.0.1:80']);
});
