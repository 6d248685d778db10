import { expect, test } from 'vitest';
import { headerLookup } from '../../src/signature/headers.js';
import { assertSigningSecret, SCHEME_LIST, SCHEME_NAMES, schemes, schemesOf } from '../../src/signature/schemes.js';

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
  const check = (given: unknown, names: (keyof typeof schemes)[]) => () =>
    assertSigningSecret('destination', 'sharedSecret', given, schemesOf(names));
  expect(check('shhh', ['x-signature'])).not.toThrow();
  expect(check(secret, ['x-signature', 'standard'])).not.toThrow();
  expect(check('shhh', ['x-signature', 'standard'])).toThrow(
    'Expected `sharedSecret` to be `whsec_` and 24 to 64 bytes',
  );
  expect(check('', ['x-signature'])).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_DESTINATION_INVALID_OPTION' }),
  );
});
