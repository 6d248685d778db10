import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** The lifetime of a session, in ms. */
export const SESSION_MS = 12 * 60 * 60_000;

export interface Session {
  /** No other session has this id. */
  readonly id: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

/** The name of the cookie that carries the session. */
export const COOKIE = 'eventferry_session';

const ID_BYTES = 16;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, which are of one length, so that the time it takes says nothing about either. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const signatureOf = (session: string, token: string): string =>
  createHmac('sha256', token).update(`eventferry session ${session}`).digest('base64url');

/** Makes a session: an id and an end, signed with the token. Every process can check it, and a new token ends it. */
export function createSession(token: string, now: number): string {
  const session = `${now + SESSION_MS}.${randomBytes(ID_BYTES).toString('base64url')}`;
  return `${session}.${signatureOf(session, token)}`;
}

/** Undefined unless it was signed with the token and its time is not over. It may have been ended since. */
export function readSession(value: string, token: string, now: number): Session | undefined {
  const [expiresAt = '', id = '', signature = ''] = value.split('.', 3);
  if (!isSame(signature, signatureOf(`${expiresAt}.${id}`, token))) return undefined;
  return Number(expiresAt) > now ? { id, expiresAt: Number(expiresAt) } : undefined;
}

/** The session that the request's cookies hold, whether or not it is one. */
export const sessionOf = (context: Context): string | undefined => getCookie(context, COOKIE);

/**
 * @param at.secure true when the browser comes by https: otherwise it would not send a cookie back that is `Secure`
 * @param at.path the browser sends it below this path alone
 */
export function setSession(context: Context, session: string, at: { secure: boolean; path: string }): void {
  const maxAge = session === '' ? 0 : SESSION_MS / 1_000;
  setCookie(context, COOKIE, session, { maxAge, httpOnly: true, sameSite: 'Strict', ...at });
}
