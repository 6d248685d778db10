import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { configOf, serving } from './support.js';

test.each([
  'GET /v1/status HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET //v1/status HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/status?%ff HTTP/1.1\r\nHost: x\r\nCookie: eventferry_session=%\r\n\r\n',
  'GET /v1/deliveries/%ff HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
])('a malformed request affects no other request: %j', async (bytes) => {
  const { url } = await serving(configOf());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytes);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  socket.destroy();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});
