import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How long a session lasts, in ms. */
export const SESSION_MS = 12 * 60 * 60_000;

const COOKIE = 'eventferry_session';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, which are of one length, so that the time it takes says nothing about either. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const signatureOf = (expiresAt: string, token: string): string =>
  createHmac('sha256', token).update(`eventferry session until ${expiresAt}`).digest('base64url');

/** A session is nothing but its end, signed with the token: every process knows it, and a new token ends it. */
export function createSession(token: string, now: number): string {
  const expiresAt = String(now + SESSION_MS);
  return `${expiresAt}.${signatureOf(expiresAt, token)}`;
}

export function isSession(value: string, token: string, now: number): boolean {
  const [expiresAt = '', signature = ''] = value.split('.', 2);
  return isSame(signature, signatureOf(expiresAt, token)) && Number(expiresAt) > now;
}

/** The session that the request's cookies hold, whether or not it is one. */
export function sessionOf(cookies: string | undefined): string | undefined {
  for (const cookie of (cookies ?? '').split(';')) {
    const [name, value] = cookie.trim().split('=', 2);
    if (name === COOKIE) return value;
  }
  return undefined;
}

/** `Secure` only where a proxy says that the browser came by https: without it there is nothing to secure. */
export function cookieOf(session: string, isHttps: boolean): string {
  const maxAge = session === '' ? 0 : SESSION_MS / 1_000;
  return `${COOKIE}=${session}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
}
