import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';

/** The lifetime of a session, in ms. */
export const SESSION_MS = 12 * 60 * 60_000;

export interface Session {
  /** An id that no other session has. */
  readonly id: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

/** The name of the cookie that carries the session. */
export const COOKIE = 'eventferry_session';

const ID_BYTES = 16;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, which have equal length, so the time that it takes reveals nothing about either text. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const signatureOf = (session: string, token: string): string =>
  createHmac('sha256', token).update(`eventferry session ${session}`).digest('base64url');

/** Creates a session: an expiry time and an id, signed with the token. Every process can check it; a new token ends it. */
export function createSession(token: string, now: number): string {
  const session = `${now + SESSION_MS}.${randomBytes(ID_BYTES).toString('base64url')}`;
  return `${session}.${signatureOf(session, token)}`;
}

/** Returns the session if the token signed it and it has not expired. It may still have been signed out since. */
export function readSession(value: string, token: string, now: number): Session | undefined {
  const [expiresAt = '', id = '', signature = ''] = value.split('.', 3);
  if (!isSame(signature, signatureOf(`${expiresAt}.${id}`, token))) return undefined;
  return Number(expiresAt) > now ? { id, expiresAt: Number(expiresAt) } : undefined;
}

/**
 * @param at.secure true when the browser uses HTTPS; otherwise the browser would not send back a `Secure` cookie
 * @param at.path the browser sends the cookie only below this path
 */
export function setSession(context: Context, session: string, at: { secure: boolean; path: string }): void {
  const maxAge = session === '' ? 0 : SESSION_MS / 1_000;
  setCookie(context, COOKIE, session, { maxAge, httpOnly: true, sameSite: 'Strict', ...at });
}
