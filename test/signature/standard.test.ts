import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { standardHeaders, verifyStandard } from '../../src/signature/standard.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const nowSeconds = 1_614_265_330;
const delivery = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: nowSeconds,
  body: '{"test": 2432232314}',
  secret,
};
const headers = standardHeaders(delivery);
const now = nowSeconds * 1_000;
const verification = { headers, body: delivery.body, secrets: secret, now };

// The reference libraries of Standard Webhooks are tested with these values.
test('standardHeaders returns what the reference libraries return', () => {
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each([
  ['without its prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['with its prefix', secret],
])('verifyStandard accepts the key %s', (_, secrets) => {
  expect(verifyStandard({ ...verification, secrets })).toBe(true);
});

// The key has 25 bytes and is written without the padding that base64 requires.
test('verifyStandard accepts a key without its padding', () => {
  const signed = standardHeaders({ ...delivery, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwBr' });
  const secrets = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwBg==';
  expect(verifyStandard({ ...verification, headers: signed, secrets })).toBe(true);
});

test.each([15, 16, 23, 24, 64, 65])(
  'a key of %i bytes is accepted for signing from 24 to 64 bytes, and for verifying from 16',
  (length) => {
    const keyed = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
    const sign = () => standardHeaders({ ...delivery, secret: keyed });
    if (length >= 24 && length <= 64) expect(sign()).toHaveProperty('webhook-signature');
    else expect(sign).toThrow(`24 to 64 bytes in base64, got a key of ${length} bytes`);
    const check = () => verifyStandard({ ...verification, secrets: keyed });
    if (length >= 16) expect(check()).toBe(false);
    else expect(check).toThrow('a key of 16 bytes or more in base64');
  },
);

test.each([
  ['an id with a full stop', { id: 'a.b' }, '`id`'],
  ['an id with a space', { id: 'a b' }, '`id`'],
  ['an id with a line break', { id: 'a\r\nx: y' }, '`id`'],
  ['an empty id', { id: '' }, '`id`'],
  ['a fraction of a second', { timestampSeconds: 1.5 }, '`timestampSeconds`'],
  ['a time before 1970', { timestampSeconds: -1 }, '`timestampSeconds`'],
  ['a parsed body', { body: {} as never }, 'Expected the body as it came'],
  ['an empty secret', { secret: '' }, '`secret`'],
  ['whsec_ alone', { secret: 'whsec_' }, '`secret`'],
  ['whsec_ and no base64', { secret: 'whsec_%%%%' }, '`secret`'],
  ['a key without whsec_', { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 'got a text without that prefix'],
])('standardHeaders refuses %s', (_, wrong, option) => {
  expect(() => standardHeaders({ ...delivery, ...wrong })).toThrow(option);
});

test('an error of standardHeaders never contains the secret', () => {
  const error = (() => {
    try {
      return standardHeaders({ ...delivery, secret: 'whsec_s3cr3t!' });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(inspect(error)).not.toContain('s3cr3t');
});

test('verifyStandard accepts what standardHeaders returned, whatever the bytes, the id and the secret', () => {
  const ids = fc.stringMatching(/^[!-\-/-~]{1,256}$/);
  fc.assert(
    fc.property(ids, fc.uint8Array(), fc.uint8Array({ minLength: 24, maxLength: 64 }), (id, body, key) => {
      const keyed = `whsec_${Buffer.from(key).toString('base64')}`;
      const signed = standardHeaders({ id, timestampSeconds: nowSeconds, body, secret: keyed });
      expect(verifyStandard({ headers: signed, body, secrets: [secret, keyed], now })).toBe(true);
      expect(verifyStandard({ headers: signed, body, secrets: secret, now })).toBe(false);
    }),
  );
});

test('verifyStandard fails if any byte of the body was changed', () => {
  const changed = fc.tuple(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(changed, ([body, at, difference]) => {
      const other = body.map((byte, index) => (index === at % body.length ? byte ^ difference : byte));
      const signed = standardHeaders({ ...delivery, body });
      expect(verifyStandard({ ...verification, headers: signed, body: other })).toBe(false);
    }),
  );
});

test('verifyStandard accepts the headers as a Headers object', () => {
  expect(verifyStandard({ ...verification, headers: new Headers(headers) })).toBe(true);
});

test('verifyStandard accepts several signatures if one is valid, as during a change of the secret', () => {
  const several = `v1a,AAAA v1,AAAA ${headers['webhook-signature']}`;
  expect(verifyStandard({ ...verification, headers: { ...headers, 'webhook-signature': several } })).toBe(true);
});

test.each([
  ['as a list', ['v1,AAAA', headers['webhook-signature'] as string]],
  ['as a list, the right one first', [headers['webhook-signature'] as string, 'v1,AAAA']],
  ['joined by node:http', `${headers['webhook-signature']}, v1,AAAA`],
])('verifyStandard finds the valid signature in a header that was sent twice, %s', (_, given) => {
  expect(verifyStandard({ ...verification, headers: { ...headers, 'webhook-signature': given } })).toBe(true);
});

test.each([
  [256, true],
  [257, false],
])('an id of %i characters is accepted: %s', (length, isAccepted) => {
  const sign = () => standardHeaders({ ...delivery, id: 'x'.repeat(length) });
  if (isAccepted) expect(verifyStandard({ ...verification, headers: sign() })).toBe(true);
  else expect(sign).toThrow('`id`');
});

test.each(['-1', '1614265330000', '+1614265330', '1614265330.0', ' 1614265330'])(
  'the timestamp %j is refused because of its form, although its signature is valid and the tolerance is infinite',
  (timestamp) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${delivery.id}.${timestamp}.${delivery.body}`).digest('base64');
    const forged = { ...headers, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    expect(verifyStandard({ ...verification, headers: forged, tolerance: Number.POSITIVE_INFINITY })).toBe(false);
  },
);

test('verifyStandard finds a valid signature in the tenth place', () => {
  const ten = `${'v1,AAAA '.repeat(9)}${headers['webhook-signature']}`;
  expect(verifyStandard({ ...verification, headers: { ...headers, 'webhook-signature': ten } })).toBe(true);
});

test('verifyStandard checks at most ten signatures', () => {
  const many = `${'v1,AAAA '.repeat(10)}${headers['webhook-signature']}`;
  expect(verifyStandard({ ...verification, headers: { ...headers, 'webhook-signature': many } })).toBe(false);
});

test.each([
  ['at the edge of the past', 300, true],
  ['too old', 301, false],
  ['at the edge of the future', -300, true],
  ['too new', -301, false],
])('verifyStandard judges a timestamp that is %s', (_, elapsed, expected) => {
  expect(verifyStandard({ ...verification, now: now + elapsed * 1_000 })).toBe(expected);
});

test.each([
  ['no id', { 'webhook-id': undefined }],
  ['no timestamp', { 'webhook-timestamp': undefined }],
  ['no signature', { 'webhook-signature': undefined }],
  ['another id', { 'webhook-id': 'msg_other' }],
  ['another timestamp', { 'webhook-timestamp': '1614265331' }],
  ['a timestamp with a sign', { 'webhook-timestamp': '+1614265330' }],
  ['a timestamp that is no number', { 'webhook-timestamp': 'now' }],
  ['a signature of another version', { 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v1a,') }],
  ['a signature without its version', { 'webhook-signature': headers['webhook-signature']?.slice(3) }],
  ['a header given twice', { 'webhook-id': ['msg_p5jXN8AQM9LWM0D4loKWxJek', 'x'] }],
])('verifyStandard fails with %s', (_, wrong) => {
  expect(verifyStandard({ ...verification, headers: { ...headers, ...wrong } })).toBe(false);
});

test('verifyStandard accepts nothing if the tolerance or the clock is not a number', () => {
  expect(verifyStandard({ ...verification, tolerance: Number.NaN })).toBe(false);
  expect(verifyStandard({ ...verification, now: Number.NaN })).toBe(false);
});

test.each([
  ['nowSeconds', { nowSeconds: now / 1_000 }, 'Use `now`, in milliseconds'],
  ['toleranceSeconds', { toleranceSeconds: 10 }, 'Use `tolerance`, in milliseconds'],
])(
  'verifyStandard refuses the old option %s, which it would otherwise ignore, and names the new one',
  (_, old, message) => {
    expect(() => verifyStandard({ ...verification, ...old })).toThrow(message);
  },
);

// The signed bytes are the same for "a" at second 1 with `2.{}` and for "a.1" at second 2 with `{}`.
test('verifyStandard refuses an id with a full stop, because a part of it could be moved into the timestamp', () => {
  const shifted = standardHeaders({ id: 'a', timestampSeconds: 1, body: '2.{}', secret });
  const other = { ...shifted, 'webhook-id': 'a.1', 'webhook-timestamp': '2' };
  expect(verifyStandard({ headers: other, body: '{}', secrets: secret, now: 2_000 })).toBe(false);
});

test('verifyStandard says how to keep the bytes if it gets a parsed object instead', () => {
  const body = { type: 'track' } as unknown as string;
  expect(() => verifyStandard({ ...verification, body })).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_WEBHOOKS_RAW_BODY' }),
  );
});
