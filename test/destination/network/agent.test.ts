import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen, startEndpoint } from '../../scheduler/test-endpoint.js';
import { createAuthority } from '../../support/certificates.js';
import { answering, firstAttempt } from '../first-attempt.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

/** Starts a server that only counts connections. */
async function countConnections(): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, connections: () => connections };
}

describe('an address that may not be reached', () => {
  test.each([
    ['a private one', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['IPv4 in IPv6', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['several', ['127.0.0.1', '::1', '192.168.1.1']],
  ])('a name that resolves to a forbidden address is refused before any connection: %s', async (_, addresses) => {
    const { port, connections } = await countConnections();
    const { attempt, destination } = await firstAttempt(`http://hook.example:${port}/`, {
      lookup: answering(addresses),
      allowLoopback: false,
    });
    expect(attempt).toMatchObject({ result: 'address-refused', code: 'EVENTFERRY_DESTINATION_ADDRESS_REFUSED' });
    expect(destination.counters().dead).toBe(1);
    expect(connections()).toBe(0);
  });

  test('a name that was public at the first lookup is refused when it resolves to a forbidden address later', async () => {
    const { port, connections } = await countConnections();
    const lookup = answering(['192.0.2.1'], ['127.0.0.1']);
    // The first answer stands for a public address. It is allowed, and nothing listens there.
    const { destination, clock } = await openDestination(
      {
        webhooks: [{ url: `http://hook.example:${port}/`, requestTimeout: 100 }],
        allowLoopback: false,
        allowCidrs: ['192.0.2.0/24'],
      },
      { lookup },
    );
    const first = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await clock.pass(100);
    expect((await first).attempt.result).not.toBe('address-refused');
    const second = next(destination, 'attempt');
    await clock.pass(6_000);
    expect((await second).attempt.result).toBe('address-refused');
    expect(connections()).toBe(0);
  });

  test('forbidden addresses are ignored when the name has others', async () => {
    const endpoint = await startEndpoint(200);
    const url = endpoint.url.replace('127.0.0.1', 'hook.example');
    const { attempt } = await firstAttempt(url, { lookup: answering(['10.0.0.1', '127.0.0.1']) });
    expect(attempt).toMatchObject({ result: 'success' });
  });

  test('localhost is reached when loopback is allowed', async () => {
    const endpoint = await startEndpoint(200);
    const { attempt } = await firstAttempt(endpoint.url.replace('127.0.0.1', 'localhost'));
    expect(attempt.result).toBe('success');
  });
});

describe('TLS', () => {
  const selfSigned = () => createAuthority(onTestFinished, 'IP:127.0.0.1');

  test('a self-signed certificate is an error with Node’s code, and no request reaches the handler', async () => {
    let requests = 0;
    const server = createTlsServer(selfSigned(), (_, response) => {
      requests++;
      response.end();
    });
    const { attempt, destination } = await firstAttempt(`https://127.0.0.1:${await listen(server)}/`);
    expect(attempt).toMatchObject({ result: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(requests).toBe(0);
    expect(destination.counters().delivered).toBe(0);
  });

  test('a self-signed certificate is an error even if the environment turns checks off', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const server = createTlsServer(selfSigned(), (_, response) => response.end());
    const { attempt } = await firstAttempt(`https://127.0.0.1:${await listen(server)}/`);
    expect(attempt).toMatchObject({ result: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  test('an endpoint without TLS at an https URL is an error', async () => {
    const endpoint = await startEndpoint(200);
    const { attempt } = await firstAttempt(endpoint.url.replace('http:', 'https:'));
    expect(attempt).toMatchObject({ result: 'tls', code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    expect(endpoint.received).toHaveLength(0);
  });
});
