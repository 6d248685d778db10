import { expect, test } from 'vitest';
import { PageObserver } from '../../../src/cli/serve/page-observer.js';
import { isCollecting } from '../../../src/collector/collector-routes.js';
import { createSession, SESSION_MS } from '../../../src/service/api/session.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { type Asking, ask, configOf, destinationOf, serving, TOKEN } from '../support.js';
import { operations } from './described.js';
import { leave, signIn } from './signed-in.js';

/** Every route of the document that needs a token. The feed exists only together with the page. */
const CALLS = operations
  .filter(
    ({ path, security }) =>
      path.startsWith('/v1/') && security.length > 0 && !isCollecting(path) && path !== '/v1/feed',
  )
  .map(({ method, path }) => [method, path.replaceAll(/:\w+/g, 'crm')] as const);

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

test('no call is answered without a token or with a wrong token', async () => {
  const { url } = await serving(config);
  expect(CALLS.length).toBeGreaterThan(30);
  for (const [index, [method, path]] of CALLS.entries()) {
    // Only eight wrong tokens are sent, so that no answer is delayed.
    const wrong = index < 8 ? ['Bearer wrong'] : [];
    for (const authorization of ['', `Basic ${TOKEN}`, ...wrong]) {
      const { status, body } = await ask(url, path, { method, headers: { authorization } });
      expect({ path, status, code: body.code }).toEqual({ path, status: 401, code: 'unauthorized' });
    }
  }
});

test('without a token in the configuration, every call is answered as disabled', async () => {
  const { url, ask } = await serving({ ...config, admin: { token: undefined } });
  for (const [method, path] of CALLS) {
    const { status, body } = await ask(path, { method });
    expect({ path, status, code: body.code }).toEqual({ path, status: 403, code: 'admin_disabled' });
  }
  expect(await (await fetch(`${url}/v1/session`)).json()).toEqual({
    ...{ signedIn: false, enabled: false, readOnly: false },
  });
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
  ['an expired time', createSession(TOKEN, Date.now() - SESSION_MS)],
  ['a changed time', createSession(TOKEN, Date.now()).replace(/^\d/, '9')],
  ['another id', createSession(TOKEN, Date.now()).replace(/\.[^.]+\./, '.another.')],
  ['nothing', '.'],
])('a session made of %s is not valid', async (_, session) => {
  const { url } = await serving(config);
  const headers = { authorization: '', cookie: `eventferry_session=${session}` };
  expect((await ask(url, '/v1/status', { headers })).status).toBe(401);
});

test('replacing the token ends the sessions that were opened with the old one', async () => {
  const { service, url } = await serving(config);
  const { cookie } = await signIn(url);
  await service.reload({ ...config, admin: { token: 'another-token-of-16' } });
  expect((await ask(url, '/v1/status', { headers: { authorization: '', cookie } })).status).toBe(401);
});

test('with a cookie only the page of the service itself may change anything', async () => {
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

test('a page of another site cannot read an answer', async () => {
  const { url } = await serving(config);
  const asking: Asking = { headers: { origin: 'https://evil.example' } };
  const { headers } = await ask(url, '/v1/status', asking);
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await ask(url, '/v1/status', { method: 'OPTIONS', ...asking })).status).not.toBe(204);
});

test('the answer to a wrong token is delayed, and a call with the right token is not', async () => {
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
  // When fifty guesses are waiting, further ones are refused at once.
  while (answered < 10) await new Promise(setImmediate);
  expect((await askRight('/v1/status')).status).toBe(200);
  expect(answered).toBe(10);
  await clock.pass(1_000);
  const statuses = await Promise.all(late);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(statuses.filter((status) => status === 401)).toHaveLength(50);
});

test('wrong tokens are logged at once, and repetitions as a number, never with the token', async () => {
  const [clock, log] = [new FakeClock(), recordingLog()];
  const { url } = await serving(config, { clock, log });
  const headers = { authorization: 'Bearer wrong-token-of-somebody' };
  for (let count = 0; count < 5; count++) await ask(url, '/v1/status', { headers });
  await clock.pass(10_000);
  const lines = log.lines.filter(({ error }) => error === 'the admin token of a request is wrong');
  expect(lines.map(({ again }) => again)).toEqual([undefined, 4]);
  expect(JSON.stringify(log.lines)).not.toContain('wrong-token-of-somebody');
});
