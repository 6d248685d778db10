import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sign, verify } from '../../src/signature/x-signature.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const secrets = fc.string({ minLength: 1 }).map((text) => `a${text}z`);
const bodies = fc.uint8Array({ maxLength: 300 });

// Each was computed with `openssl dgst -sha1 -hmac SECRET`.
test.each([
  ['shhh', '{"type":"track"}', 'dcfe4daa3996d393f746d4c978859203c949665d'],
  ['key', 'The quick brown fox jumps over the lazy dog', 'de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9'],
  ['key', '', 'f42bb0eeb018ebbd4597ae7213711ec60760843f'],
  ['ключ', 'naïve ☃', 'aa7d2fb8c4442a0cdbab32033ccd8639ca239e2c'],
])('sign with the secret %j and the body %j returns the same hexadecimal text as OpenSSL', (secret, body, expected) => {
  expect(sign(body, secret)).toBe(expected);
});

test('sign encodes a string as UTF-8', () => {
  expect(sign('naïve ☃', 'shhh')).toBe(sign(bytesOf('naïve ☃'), 'shhh'));
});

test('sign refuses an empty secret', () => {
  expect(() => sign('{}', '')).toThrow('Expected `secret` to be a non-empty string, got an empty string');
});

test('verify accepts what sign returned, whatever the bytes', () => {
  fc.assert(
    fc.property(bodies, secrets, (body, secret) => {
      expect(verify(body, sign(body, secret), secret)).toBe(true);
    }),
  );
});

test('verify fails if any byte of the body was changed', () => {
  const changed = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(changed, secrets, ([body, at, difference], secret) => {
      const other = body.map((byte, index) => (index === at % body.length ? byte ^ difference : byte));
      expect(verify(other, sign(body, secret), secret)).toBe(false);
    }),
  );
});

test('verify fails if any character of the signature was changed', () => {
  fc.assert(
    fc.property(bodies, fc.nat(39), fc.string({ minLength: 1, maxLength: 1 }), (body, at, character) => {
      const signature = sign(body, 'shhh');
      fc.pre(signature[at] !== character);
      expect(verify(body, signature.slice(0, at) + character + signature.slice(at + 1), 'shhh')).toBe(false);
    }),
  );
});

test('verify accepts each of several secrets and no other', () => {
  fc.assert(
    fc.property(bodies, fc.uniqueArray(secrets, { minLength: 2, maxLength: 5 }), (body, [outside = '', ...known]) => {
      for (const secret of known) expect(verify(body, sign(body, secret), known)).toBe(true);
      expect(verify(body, sign(body, outside), known)).toBe(false);
    }),
  );
});

const right = sign('{}', 'shhh');
test.each([
  ['missing', undefined],
  ['null', null],
  ['empty', ''],
  ['in upper case', right.toUpperCase()],
  ['cut short', right.slice(0, -1)],
  ['followed by more', `${right}0`],
  ['followed by what a hex decoder passes over', `${right.slice(0, -2)}zz`],
  ['prefixed with the algorithm', `sha1=${right}`],
  ['as long in characters but not in bytes', 'é'.repeat(40)],
])('verify fails on a signature that is %s', (_, signature) => {
  expect(verify('{}', signature, 'shhh')).toBe(false);
});

test.each([
  ['no secret', []],
  ['an empty secret', ''],
  ['an empty secret among others', ['shhh', '']],
])('verify refuses %s, under which anyone could sign', (_, none) => {
  expect(() => verify('{}', right, none)).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_WEBHOOKS_INVALID_OPTION' }),
  );
});

test.each([
  ['an object', { type: 'track' }],
  ['an array', [{ type: 'track' }]],
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
])('verify says how to keep the bytes if it gets %s instead', (_, parsed) => {
  const body = parsed as unknown as string;
  const error = expect.objectContaining({
    code: 'EVENTFERRY_WEBHOOKS_RAW_BODY',
    name: 'RawBodyError',
    message: expect.stringContaining("express.raw({ type: 'application/json' })"),
  });
  expect(() => verify(body, right, 'shhh')).toThrow(error);
  expect(() => sign(body, 'shhh')).toThrow(error);
});
