import { expect, test } from 'vitest';
import { createSession, SESSION_MS } from '../../../src/service/api/session.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ask, configOf, destinationOf, serving } from '../support.js';
import { leave, signIn, statusWith } from './signed-in.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

test('a copied cookie is refused after its session was signed out, and other sessions continue', async () => {
  const { url } = await serving(config);
  const [{ cookie }, other] = [await signIn(url), await signIn(url)];
  expect((await leave(url, cookie)).status).toBe(204);
  expect(await statusWith(url, cookie)).toBe(401);
  expect(await statusWith(url, other.cookie)).toBe(200);
  const headers = { authorization: '', cookie };
  expect((await ask(url, '/v1/session', { headers })).body).toEqual({
    ...{ signedIn: false, enabled: true, readOnly: false },
  });
});

test('a session that was signed out in one process has ended in every other, and after a restart', async () => {
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

test('an ended session is stored for as long as it would have lasted', async () => {
  const [clock, storage] = [new FakeClock(), memoryStorage()];
  const { url } = await serving(config, { clock, storage });
  const { cookie } = await signIn(url);
  await leave(url, cookie);
  const ended = async (): Promise<number> => (await storage.keyValues.list('ended-session/', undefined, 9)).length;
  clock.freeze(SESSION_MS - 60 * 60_000);
  await clock.pass(60_000);
  expect(await ended()).toBe(1);
  clock.freeze(2 * 60 * 60_000);
  await clock.pass(60_000);
  expect(await ended()).toBe(0);
});

test('signing out with a cookie that another token signed stores nothing', async () => {
  const storage = memoryStorage();
  const { url } = await serving(config, { storage });
  expect((await leave(url, `eventferry_session=${createSession('another token', Date.now())}`)).status).toBe(204);
  expect(await storage.keyValues.list('ended-session/', undefined, 9)).toEqual([]);
});
