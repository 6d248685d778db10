import { expect, test } from 'vitest';
import { PageObserver } from '../../src/cli/serve/observer.js';
import { createSession, SESSION_MS } from '../../src/service/api/session.js';
import { StoreWriteError } from '../../src/store/errors.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { FakeClock } from '../support/fake-clock.js';
import { type Asking, ask, configOf, destinationOf, serving, TOKEN } from './support.js';

const CALLS: readonly (readonly [string, string])[] = [
  ['GET', '/v1/status'],
  ['GET', '/v1/sources'],
  ['GET', '/v1/sources/website/counts'],
  ['GET', '/v1/destinations'],
  ['PUT', '/v1/destinations/crm/enabled'],
  ['GET', '/v1/destinations/crm/dead-letters'],
  ['GET', '/v1/destinations/crm/dead-letters/count'],
  ['POST', '/v1/destinations/crm/replay'],
  ['POST', '/v1/destinations/crm/discard'],
  ['GET', '/v1/deliveries/m1'],
  ['POST', '/v1/deletions'],
  ['GET', '/v1/deletions'],
  ['GET', '/v1/deletions/d1'],
  ['GET', '/v1/destinations/crm/dead-letters/m1'],
  ['GET', '/v1/destinations/crm/jobs'],
  ['GET', '/v1/destinations/crm/jobs/j1'],
  ['DELETE', '/v1/destinations/crm/jobs/j1'],
  ['GET', '/v1/audiences'],
  ['GET', '/v1/audiences/buyers'],
  ['PUT', '/v1/audiences/buyers'],
  ['PATCH', '/v1/audiences/buyers'],
  ['DELETE', '/v1/audiences/buyers'],
];

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

test('no call is answered without the token, or with a wrong one', async () => {
  const { url } = await serving(config);
  for (const [index, [method, path]] of CALLS.entries()) {
    // Not so often that the answer would come late.
    const wrong = index < 8 ? ['Bearer wrong'] : [];
    for (const authorization of ['', `Basic ${TOKEN}`, ...wrong]) {
      const { status, body } = await ask(url, path, { method, headers: { authorization } });
      expect({ path, status, code: body.code }).toEqual({ path, status: 401, code: 'unauthorized' });
    }
  }
});

test('without a token in the configuration every call says so', async () => {
  const { url, ask } = await serving({ ...config, admin: { token: undefined } });
  for (const [method, path] of CALLS) {
    const { status, body } = await ask(path, { method });
    expect({ path, status, code: body.code }).toEqual({ path, status: 403, code: 'admin_disabled' });
  }
  expect(await (await fetch(`${url}/v1/session`)).json()).toEqual({ signedIn: false, enabled: false });
});

/** A session, as a browser keeps it. */
async function signIn(url: string): Promise<{ cookie: string; header: string }> {
  const json = { token: TOKEN };
  const { status, headers } = await ask(url, '/v1/session', { method: 'POST', json, headers: { authorization: '' } });
  expect(status).toBe(204);
  const header = headers.get('set-cookie') ?? '';
  return { cookie: header.split(';')[0] ?? '', header };
}

test('a session is opened with the token, and kept from scripts and other sites', async () => {
  const { url } = await serving(config);
  const { cookie, header } = await signIn(url);
  expect(header).toMatch(/^eventferry_session=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(header).not.toContain(TOKEN);
  const headers = { authorization: '', cookie };
  expect((await ask(url, '/v1/status', { headers })).status).toBe(200);
  expect((await ask(url, '/v1/session', { headers })).body).toEqual({ signedIn: true, enabled: true });
});

test('behind https the cookie is secure', async () => {
  const { url } = await serving(config);
  const headers = { authorization: '', 'x-forwarded-proto': 'https' };
  const answer = await ask(url, '/v1/session', { method: 'POST', json: { token: TOKEN }, headers });
  expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

const leave = (url: string, cookie: string) =>
  ask(url, '/v1/session', { method: 'DELETE', headers: { authorization: '', cookie } });

const statusWith = async (url: string, cookie: string): Promise<number> =>
  (await ask(url, '/v1/status', { headers: { authorization: '', cookie } })).status;

test('signing out makes the browser forget its cookie', async () => {
  const { url } = await serving(config);
  const { headers, status } = await leave(url, '');
  expect(status).toBe(204);
  expect(headers.get('set-cookie')).toMatch(/^eventferry_session=; Max-Age=0; Path=\/; HttpOnly;/);
});

test('a copied cookie is worth nothing after its session was signed out of, and other sessions go on', async () => {
  const { url } = await serving(config);
  const [{ cookie }, other] = [await signIn(url), await signIn(url)];
  expect((await leave(url, cookie)).status).toBe(204);
  expect(await statusWith(url, cookie)).toBe(401);
  expect(await statusWith(url, other.cookie)).toBe(200);
  const headers = { authorization: '', cookie };
  expect((await ask(url, '/v1/session', { headers })).body).toEqual({ signedIn: false, enabled: true });
});

test('a session that was signed out of at one process is over at every other, and after a restart', async () => {
  const storage = memoryStorage();
  const [one, other] = [await serving(config, { storage }), await serving(config, { storage })];
  const { cookie } = await signIn(one.url);
  expect(await statusWith(other.url, cookie)).toBe(200);
  await leave(one.url, cookie);
  expect(await statusWith(other.url, cookie)).toBe(401);
  await Promise.all([one.service.close(), other.service.close()]);
  const { url } = await serving(config, { storage });
  expect(await statusWith(url, cookie)).toBe(401);
});

test('a session is kept as ended for as long as it would have lasted', async () => {
  const [clock, storage] = [new FakeClock(), memoryStorage()];
  const { url } = await serving(config, { clock, storage });
  const { cookie } = await signIn(url);
  await leave(url, cookie);
  const ended = async (): Promise<number> => (await storage.keyValues.list('ended-session/', undefined, 9)).length;
  await clock.pass(SESSION_MS - 60 * 60_000);
  expect(await ended()).toBe(1);
  await clock.pass(2 * 60 * 60_000);
  expect(await ended()).toBe(0);
});

test('a cookie that nobody signed is not put on record', async () => {
  const storage = memoryStorage();
  const { url } = await serving(config, { storage });
  expect((await leave(url, `eventferry_session=${createSession('another token', Date.now())}`)).status).toBe(204);
  expect(await storage.keyValues.list('ended-session/', undefined, 9)).toEqual([]);
});

test('signing out says so when the store cannot keep it, and the cookie stays for another try', async () => {
  const storage = memoryStorage();
  const { url } = await serving(config, { storage });
  const { cookie } = await signIn(url);
  storage.keyValues.write = async () => Promise.reject(new StoreWriteError(new Error('no room')));
  const { status, body, headers } = await leave(url, cookie);
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'not_done' });
  expect(headers.get('set-cookie')).toBeNull();
});

test('the feed ends with the session that it was opened with', async () => {
  const clock = new FakeClock();
  const observer = new PageObserver('');
  const { url } = await serving(config, { clock, observer });
  const { cookie } = await signIn(url);
  const feed = await fetch(`${url}/v1/feed`, { headers: { cookie } });
  await clock.pass(10_000);
  await leave(url, cookie);
  const isOver = feed.text();
  await clock.pass(2_000);
  expect(await isOver).toContain('event:');
});

test.each([
  ['another token', createSession('another token', Date.now())],
  ['a time that is over', createSession(TOKEN, Date.now() - SESSION_MS)],
  ['a time of its own', createSession(TOKEN, Date.now()).replace(/^\d/, '9')],
  ['another id', createSession(TOKEN, Date.now()).replace(/\.[^.]+\./, '.another.')],
  ['nothing', '.'],
])('a session made of %s is none', async (_, session) => {
  const { url } = await serving(config);
  const headers = { authorization: '', cookie: `eventferry_session=${session}` };
  expect((await ask(url, '/v1/status', { headers })).status).toBe(401);
});

test('a new token ends the sessions of the old one', async () => {
  const { service, url } = await serving(config);
  const { cookie } = await signIn(url);
  await service.reload({ ...config, admin: { token: 'another-token-of-16' } });
  expect((await ask(url, '/v1/status', { headers: { authorization: '', cookie } })).status).toBe(401);
});

test('by cookie only the page of the service itself may change anything', async () => {
  const { url } = await serving(config);
  const { cookie } = await signIn(url);
  const change = async (headers: Record<string, string>): Promise<number> =>
    (
      await ask(url, '/v1/destinations/crm/enabled', {
        method: 'PUT',
        json: { enabled: true },
        headers: { authorization: '', cookie, ...headers },
      })
    ).status;
  expect(await change({ origin: url })).toBe(200);
  expect(await change({ origin: url, 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await change({})).toBe(403);
  expect(await change({ origin: 'null' })).toBe(403);
  expect(await change({ origin: 'https://evil.example' })).toBe(403);
  expect(await change({ origin: url.replace(/:\d+$/, ':1') })).toBe(403);
  expect(await change({ origin: url, 'sec-fetch-site': 'same-site' })).toBe(403);
});

test('another site is told nothing, and may ask for nothing', async () => {
  const { url } = await serving(config);
  const asking: Asking = { headers: { origin: 'https://evil.example' } };
  const { headers } = await ask(url, '/v1/status', asking);
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await ask(url, '/v1/status', { method: 'OPTIONS', ...asking })).status).not.toBe(204);
});

test('who guesses is answered late, and who knows the token is not', async () => {
  const clock = new FakeClock();
  const { url, ask: askRight } = await serving(config, { clock });
  const guess = (): Promise<number> =>
    ask(url, '/v1/session', { method: 'POST', json: { token: 'wrong' } }).then(({ status }) => status);
  for (let count = 0; count < 10; count++) expect(await guess()).toBe(401);
  let answered = 0;
  const late = Array.from({ length: 60 }, () =>
    guess().then((status) => {
      answered++;
      return status;
    }),
  );
  // Beyond so many nobody waits.
  while (answered < 10) await new Promise(setImmediate);
  expect((await askRight('/v1/status')).status).toBe(200);
  expect(answered).toBe(10);
  await clock.pass(1_000);
  const statuses = await Promise.all(late);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(statuses.filter((status) => status === 401)).toHaveLength(50);
});
