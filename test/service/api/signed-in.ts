import { expect } from 'vitest';
import { ask, TOKEN } from '../support.js';

/** Signs in, and returns the session cookie as a browser keeps it. */
export async function signIn(url: string): Promise<{ cookie: string; header: string }> {
  const json = { token: TOKEN };
  const { status, headers } = await ask(url, '/v1/session', { method: 'POST', json, headers: { authorization: '' } });
  expect(status).toBe(204);
  const header = headers.get('set-cookie') ?? '';
  return { cookie: header.split(';')[0] ?? '', header };
}

export const leave = (url: string, cookie: string) =>
  ask(url, '/v1/session', { method: 'DELETE', headers: { authorization: '', cookie } });

export const statusWith = async (url: string, cookie: string): Promise<number> =>
  (await ask(url, '/v1/status', { headers: { authorization: '', cookie } })).status;
