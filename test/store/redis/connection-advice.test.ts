import { expect, test } from 'vitest';
import { advised, TOO_LATE } from '../../../src/store/redis/connection-advice.js';

test.each([
  ['WRONGPASS invalid username-password pair or user is disabled.', '', 'check the user and the password in the URL'],
  ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN', 'give that of its authority as `ca`'],
  ['00:error:wrong version number:', 'EPROTO', 'the port does not speak TLS: use redis:// or another port'],
  ['', 'ECONNRESET', 'if the port speaks TLS, use rediss://'],
])('the error of a connection to Redis that fails with %j %s gives advice', (message, code, advice) => {
  expect(String(advised(Object.assign(new Error(message), { code })))).toContain(advice);
});

test('a connection to Redis that fails for another reason has the original error', () => {
  const error = new Error('connect ECONNREFUSED 127.0.0.1:6379');
  expect(advised(error, { isSecure: true })).toBe(error);
});

test('if Redis does not answer over TLS, the error advises that the port may not speak TLS', () => {
  expect(String(advised(new Error(TOO_LATE), { isSecure: true }))).toContain(
    'if the port does not speak TLS: use redis://',
  );
  expect(String(advised(new Error(TOO_LATE)))).toBe('Error: no connection in time');
});

test('if no node of a Redis Cluster answers, the error says so and advises the other URL scheme', () => {
  const error = new Error('Connection is closed.');
  expect(String(advised(error, { isCluster: true }))).toMatch(/none of the nodes answers; .* use rediss:\/\//);
  expect(String(advised(error, { isCluster: true, isSecure: true }))).toMatch(/none of the nodes .* use redis:\/\//);
});

test('an unknown master and silent sentinels are different failures with their own advice', () => {
  const unknown = new Error('All sentinels are unreachable. Retrying from scratch after 100ms.');
  for (const error of [unknown, new Error(`${unknown.message} Last error: ERR No such master with that name`)]) {
    expect(String(advised(error, { master: 'shop' }))).toBe(
      'Error: the sentinels know no master "shop"; give the name that they watch as the host of `url`',
    );
  }
  const refused = new Error(`${unknown.message} Last error: connect ECONNREFUSED 127.0.0.1:26379`);
  expect(String(advised(refused, { master: 'shop' }))).toBe(
    'Error: no sentinel names the master "shop": connect ECONNREFUSED 127.0.0.1:26379; check that they run, their addresses, user and password',
  );
});
