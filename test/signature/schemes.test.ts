import { expect, test } from 'vitest';
import { headerLookup } from '../../src/signature/headers.js';
import {
  acceptedSchemes,
  faultInSigningSecret,
  SCHEME_LIST,
  SCHEME_NAMES,
  schemes,
  schemesOf,
  usableSchemes,
  verifyAny,
} from '../../src/signature/schemes.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const now = 1_800_000_000_000;
const delivery = { id: 'm1', body: '{"type":"track"}', now };

test.each(SCHEME_NAMES)('the scheme %s verifies what it signs, and nothing else', (name) => {
  const scheme = schemes[name];
  const headers = scheme.sign(delivery, secret);
  expect(Object.keys(headers).toSorted()).toEqual(scheme.headers.toSorted());
  expect(scheme.headers).toContain(scheme.signatureHeader);
  const verify = (body: string, given: object, secrets = [secret]) =>
    scheme.verify({ header: headerLookup({ ...headers, ...given }), body, now, tolerance: 1_000 }, secrets);
  expect(verify(delivery.body, {})).toBeDefined();
  expect(verify(`${delivery.body} `, {})).toBeUndefined();
  expect(verify(delivery.body, {}, [`whsec_${'A'.repeat(32)}`])).toBeUndefined();
  expect(verify(delivery.body, { [scheme.signatureHeader]: undefined })).toBeUndefined();
});

test.each(['an id with spaces', 'a.full.stop', 'ü', 'x'.repeat(257)])(
  'the standard scheme replaces the event id %j by a hash that a header can hold',
  (id) => {
    const headers = schemes.standard.sign({ ...delivery, id }, secret);
    expect(headers['webhook-id']).toMatch(/^[0-9a-f]{64}$/);
  },
);

test('a valid Standard Webhooks signature covers the id, and an X-Signature does not', () => {
  const vouched = SCHEME_NAMES.map((name) => {
    const header = headerLookup(schemes[name].sign(delivery, secret));
    return [name, schemes[name].verify({ header, body: delivery.body, now, tolerance: 0 }, [secret])?.id];
  });
  expect(Object.fromEntries(vouched)).toEqual({ standard: 'm1', 'x-signature': undefined });
});

test('schemesOf returns schemes in the order of `schemes`, those that sign the time first', () => {
  expect(schemesOf(['x-signature', 'standard'])).toEqual([schemes.standard, schemes['x-signature']]);
});

test.each<[unknown, boolean]>([
  [['standard'], true],
  [['x-signature', 'standard'], true],
  [[], false],
  ['standard', false],
  [['sha256'], false],
  [null, false],
])('SCHEME_LIST accepts %j: %s', (value, expected) => {
  expect(SCHEME_LIST.holds(value)).toBe(expected);
});

test('a secret for signing must suit every scheme', () => {
  const fault = (given: unknown, names: (keyof typeof schemes)[]) => faultInSigningSecret(given, schemesOf(names));
  expect(fault('shhh', ['x-signature'])).toBeUndefined();
  expect(fault(secret, ['x-signature', 'standard'])).toBeUndefined();
  expect(fault('shhh', ['x-signature', 'standard'])).toMatchObject({
    expected: '`whsec_` and 24 to 64 bytes in base64',
  });
  expect(fault('', ['x-signature'])).toMatchObject({ received: 'an empty string' });
});

const both = ['standard', 'x-signature'] as const;

test('each accepted scheme gets the secrets that it can use', () => {
  expect(acceptedSchemes(both, ['shhh', secret])).toEqual([
    { scheme: schemes.standard, secrets: [secret] },
    { scheme: schemes['x-signature'], secrets: ['shhh', secret] },
  ]);
});

test('a scheme without a secret, and a secret without a scheme, are refused', () => {
  expect(() => acceptedSchemes(both, ['shhh'])).toThrow('a key of 16 bytes or more in base64');
  expect(() => acceptedSchemes(['standard'], [secret, 'shhh'])).toThrow('a key of 16 bytes or more in base64');
  expect(() => acceptedSchemes(['standard'], ['shhh'], '--secret')).toThrow(/^Expected `--secret` .*\. Make one with /);
  expect(usableSchemes(both, ['shhh'])).toEqual([{ scheme: schemes['x-signature'], secrets: ['shhh'] }]);
});

test('verifyAny accepts a delivery that one of the schemes accepts', () => {
  const delivery = { id: 'm1', body: '{}', now: 1_000 };
  const accepted = acceptedSchemes(both, [secret]);
  const verify = (headers: Record<string, string>, now: number) =>
    verifyAny(accepted, { header: headerLookup(headers), body: '{}', now, tolerance: 5_000 });
  const signed = { ...schemes.standard.sign(delivery, secret), ...schemes['x-signature'].sign(delivery, secret) };
  expect(verify(signed, 1_000)).toEqual({ id: 'm1' });
  // The time has passed the tolerance of Standard Webhooks, so only the X-Signature is valid.
  expect(verify(signed, 9_000)).toEqual({ id: undefined });
  expect(verify({}, 1_000)).toBeUndefined();
});
