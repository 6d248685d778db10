import { expect, test } from 'vitest';
import { acceptedSchemes, usableSchemes, verifyAny } from '../../src/signature/accepted-schemes.js';
import { headerLookup } from '../../src/signature/headers.js';
import { schemes } from '../../src/signature/schemes.js';

const both = ['standard', 'x-signature'] as const;
const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('each accepted scheme gets the secrets that it can use', () => {
  expect(acceptedSchemes(both, ['shhh', key])).toEqual([
    { scheme: schemes.standard, secrets: [key] },
    { scheme: schemes['x-signature'], secrets: ['shhh', key] },
  ]);
});

test('a scheme without a secret, and a secret without a scheme, are refused', () => {
  expect(() => acceptedSchemes(both, ['shhh'])).toThrow('a key of 16 bytes or more in base64');
  expect(() => acceptedSchemes(['standard'], [key, 'shhh'])).toThrow('a key of 16 bytes or more in base64');
  expect(() => acceptedSchemes(['standard'], ['shhh'], '--secret')).toThrow(/^Expected `--secret` .*\. Make one with /);
  expect(usableSchemes(both, ['shhh'])).toEqual([{ scheme: schemes['x-signature'], secrets: ['shhh'] }]);
});

test('verifyAny accepts a delivery that one of the schemes accepts', () => {
  const delivery = { id: 'm1', body: '{}', now: 1_000 };
  const accepted = acceptedSchemes(both, [key]);
  const verify = (headers: Record<string, string>, now: number) =>
    verifyAny(accepted, { header: headerLookup(headers), body: '{}', now, tolerance: 5_000 });
  const signed = { ...schemes.standard.sign(delivery, key), ...schemes['x-signature'].sign(delivery, key) };
  expect(verify(signed, 1_000)).toEqual({ id: 'm1' });
  // The time has passed the tolerance of Standard Webhooks, so only the X-Signature is valid.
  expect(verify(signed, 9_000)).toEqual({ id: undefined });
  expect(verify({}, 1_000)).toBeUndefined();
});
