import { expect, test } from 'vitest';
import { createSession, isSame, readSession, SESSION_MS } from '../../../src/service/api/session.js';

const TOKEN = 'a-token-of-the-tests';
const NOW = Date.parse('2026-11-20T12:00:00.000Z');

test('a session can be read for twelve hours with the token that created it', () => {
  const session = createSession(TOKEN, NOW);
  const expiresAt = NOW + 12 * 60 * 60_000;
  expect(readSession(session, TOKEN, NOW)).toEqual({ id: expect.stringMatching(/^[\w-]{22}$/), expiresAt });
  expect(readSession(session, TOKEN, NOW + SESSION_MS - 1)).toMatchObject({ expiresAt });
  expect(readSession(session, TOKEN, NOW + SESSION_MS)).toBeUndefined();
});

test('two sessions have different ids, and neither contains the token', () => {
  const [one, other] = [createSession(TOKEN, NOW), createSession(TOKEN, NOW)];
  expect(readSession(one, TOKEN, NOW)?.id).not.toBe(readSession(other, TOKEN, NOW)?.id);
  expect(one).not.toContain(TOKEN);
});

test.each([
  ['with another token', (session: string) => session, 'another-token'],
  ['with a later end', (session: string) => session.replace(/^\d+/, String(NOW + 2 * SESSION_MS)), TOKEN],
  ['with another id', (session: string) => session.replace(/\.[^.]+\./, '.another.'), TOKEN],
  ['without its signature', (session: string) => session.replace(/\.[^.]+$/, ''), TOKEN],
  ['from an empty text', () => '', TOKEN],
])('a session that is read %s is not valid', (_, change, token) => {
  expect(readSession(change(createSession(TOKEN, NOW)), token, NOW)).toBeUndefined();
});

test.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'aa', false],
  ['', 'a', false],
])('%j and %j are the same secret: %s', (one, other, expected) => {
  expect(isSame(one, other)).toBe(expected);
});
