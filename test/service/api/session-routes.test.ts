import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { StoreWriteError } from '../../../src/store/store-errors.js';
import { ask, configOf, destinationOf, serving, TOKEN } from '../support.js';
import { leave, signIn } from './signed-in.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

test('a session is opened with the token, and its cookie is hidden from scripts and other sites', async () => {
  const { url } = await serving(config);
  const { cookie, header } = await signIn(url);
  expect(header).toMatch(/^eventferry_session=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(header).not.toContain(TOKEN);
  const headers = { authorization: '', cookie };
  expect((await ask(url, '/v1/status', { headers })).status).toBe(200);
  const state = { signedIn: true, enabled: true, readOnly: false };
  expect((await ask(url, '/v1/session', { headers })).body).toEqual(state);
});

test('a session of a read-only token says so', async () => {
  const tokens = [{ name: 'ben', token: TOKEN, readOnly: true }];
  const { url } = await serving({ ...config, admin: { tokens } });
  const { cookie } = await signIn(url);
  const headers = { authorization: '', cookie };
  const state = { signedIn: true, enabled: true, readOnly: true };
  expect((await ask(url, '/v1/session', { headers })).body).toEqual(state);
});

test('behind a trusted proxy with HTTPS the cookie is `Secure`', async () => {
  const { url } = await serving({ ...config, admin: { token: TOKEN, trustedProxies: 1 } });
  const headers = { authorization: '', 'x-forwarded-proto': 'https' };
  const answer = await ask(url, '/v1/session', { method: 'POST', json: { token: TOKEN }, headers });
  expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

test('signing out makes the browser delete its cookie', async () => {
  const { url } = await serving(config);
  const { headers, status } = await leave(url, '');
  expect(status).toBe(204);
  expect(headers.get('set-cookie')).toMatch(/^eventferry_session=; Max-Age=0; Path=\/; HttpOnly;/);
});

test('a sign-out that cannot be stored is answered with an error, and the cookie stays for another attempt', async () => {
  const storage = memoryStorage();
  const { url } = await serving(config, { storage });
  const { cookie } = await signIn(url);
  storage.keyValues.write = async () => Promise.reject(new StoreWriteError(new Error('no room')));
  const { status, body, headers } = await leave(url, cookie);
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'not_done' });
  expect(headers.get('set-cookie')).toBeNull();
});
