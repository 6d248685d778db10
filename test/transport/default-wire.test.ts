import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { defaultWire } from '../../src/transport/default-wire.js';
import { Outgoing } from '../../src/transport/outgoing.js';
import type { Wire } from '../../src/transport/wire.js';
import { FakeClock } from '../support/fake-clock.js';
import { bytesOf, serve } from '../support/loopback.js';

const body = new TextEncoder().encode('{}');
const answer = { status: 200, headers: {}, body: 'from undici' };

/** A client's wire to a collector that answers, with another in the place of undici. */
async function setUp(load?: () => Promise<Wire>) {
  const sockets = new Set<Socket>();
  const origin = await serve(async (request, response) => {
    sockets.add(request.socket);
    await bytesOf(request);
    response.end('from node:http');
  });
  const clock = new FakeClock();
  const rest = { loaded: 0, sent: 0, destroyed: 0 };
  const undici: Wire = {
    send: async () => {
      rest.sent++;
      return answer;
    },
    destroy: () => rest.destroyed++,
  };
  const loadUndici = async (): Promise<Wire> => {
    rest.loaded++;
    return load === undefined ? undici : load();
  };
  const wire = defaultWire({ origin, concurrency: 1, clock }, loadUndici);
  onTestFinished(() => wire.destroy());
  const send = () => wire.send(new Outgoing(`${origin}/`, {}, body));
  return { wire, clock, rest, send, sockets };
}

test('a few requests go by node:http, and undici is not loaded for them', async () => {
  const { send, rest } = await setUp();
  for (let i = 0; i < 3; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(0);
});

test('with the next request undici is loaded, once, and nobody waits for it', async () => {
  let finish = (_: Wire): void => {};
  const { send, rest } = await setUp(() => new Promise((resolve) => (finish = resolve)));
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(1);
  finish({ send: async () => answer, destroy() {} });
  await expect.poll(async () => (await send()).body).toBe('from undici');
});

test('a process that lives longer than a short script loads it without a request', async () => {
  const { clock, rest, send } = await setUp();
  clock.advance(499);
  expect(rest.loaded).toBe(0);
  clock.advance(1);
  expect(rest.loaded).toBe(1);
  await expect.poll(async () => (await send()).body).toBe('from undici');
});

test('once it is there, the connections of node:http are closed', async () => {
  const { clock, send, sockets } = await setUp();
  await send();
  clock.advance(500);
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});

test('where it cannot be loaded, node:http goes on', async () => {
  const { clock, send, rest } = await setUp(() => Promise.reject(new Error('Cannot find package undici')));
  clock.advance(500);
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(1);
});

test('a client that is done loads nothing more, and destroys what is still on its way', async () => {
  const early = await setUp();
  early.wire.destroy();
  early.clock.advance(500);
  expect(early.rest.loaded).toBe(0);

  const late = await setUp();
  late.clock.advance(500);
  late.wire.destroy();
  await expect.poll(() => late.rest.destroyed).toBe(1);
});
