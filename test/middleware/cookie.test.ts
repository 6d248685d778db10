import { expect, test } from 'vitest';
import { checkCookieOptions, cookieText, isPublic } from '../../src/middleware/cookie.js';

test.each([
  [{}, false, 'aid=a1; Path=/; SameSite=Lax; HttpOnly'],
  [{}, true, 'aid=a1; Path=/; SameSite=Lax; HttpOnly; Secure'],
  [
    { maxAge: 60, domain: 'shop.example', sameSite: 'none', httpOnly: false },
    true,
    'aid=a1; Path=/; Max-Age=60; Domain=shop.example; SameSite=None; Secure',
  ],
] as const)('the cookie with the options %j, for a secure request: %j, is %s', (options, isSecure, text) => {
  checkCookieOptions(options);
  expect(cookieText('aid', 'a1', options, isSecure)).toBe(text);
});

test.each([
  [{ domain: 'a; Secure' }, 'the name of a domain'],
  [{ sameSite: 'Lax' }, "'lax' or 'strict' or 'none'"],
  [{ maxage: 60 }, 'Did you mean `maxAge`?'],
])('the cookie options %j are refused', (options, text) => {
  expect(() => checkCookieOptions(options)).toThrow(text);
});

test.each([
  ['public, max-age=60', true],
  ['max-age=0, s-maxage=60', true],
  ['private, max-age=60', false],
  [undefined, false],
])('isPublic of Cache-Control: %s is %s', (cacheControl, expected) => {
  expect(isPublic(cacheControl)).toBe(expected);
});
