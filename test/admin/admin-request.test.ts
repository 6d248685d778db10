import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { listen as serverAtPort } from '../scheduler/test-endpoint.js';
import { numbered } from '../service/audiences/numbered.js';
import { listen as listenAt, serveAudiences } from '../service/audiences/serve.js';

const TOKEN = 'a-token-that-nobody-may-see';

async function listen(listener: RequestListener): Promise<{ url: string; admin: AdminClient }> {
  const url = await listenAt(listener);
  return { url, admin: new AdminClient({ url, token: TOKEN }) };
}

const serverAt = async (server: Server): Promise<string> => `http://127.0.0.1:${await serverAtPort(server)}`;

/** Starts a server with real audiences, and a client for it. */
async function serve() {
  const served = await serveAudiences({ runSize: 1_000 }, TOKEN);
  return { ...served, admin: new AdminClient({ url: served.url, token: TOKEN }) };
}

/** Starts a server that always answers the same. */
const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  listen((request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });

test('the admin client syncs an audience from any kind of list, changes it, reads it and deletes it', async () => {
  const { admin, taken } = await serve();
  const list = async function* (): AsyncGenerator<string> {
    yield* numbered(20_000);
  };
  const name = 'High/Value Users';
  const trait = 'high_value_users';
  expect(await admin.syncAudience(name, list())).toEqual({ name, trait, members: 20_000, joined: 20_000, left: 0 });
  expect(await admin.syncAudience(name, new Set(['ann', 'b"\n😀']))).toMatchObject({ members: 2, left: 20_000 });
  taken.take();
  expect(await admin.changeAudience(name, { join: ['cid'], leave: ['ann'] })).toMatchObject({ joined: 1, left: 1 });
  expect(taken.take()).toEqual(['-ann', '+cid']);
  expect(await admin.audience(name)).toMatchObject({ name, trait, members: 2, syncedAt: expect.any(String) });
  expect(await admin.audiences()).toMatchObject([{ name }]);
  expect(await admin.deleteAudience(name)).toMatchObject({ left: 2 });
  await expect(admin.audience(name)).rejects.toMatchObject({
    code: 'EVENTFERRY_ADMIN_NOT_FOUND',
    reason: 'audience_not_found',
  });
});

test('a list is sent only as fast as the service reads it', async () => {
  let taken: IncomingMessage | undefined;
  const { admin } = await listen((request) => {
    taken = request;
  });
  let given = 0;
  const endless = function* (): Generator<string> {
    for (;;) yield `user-${given++}`;
  };
  const stop = new AbortController();
  const call = admin.syncAudience('Users', endless(), { signal: stop.signal });
  const broken = expect(call).rejects.toThrow('enough');
  while (taken === undefined) await new Promise(setImmediate);
  let before = -1;
  // The loop ends when nothing more is read, because the buffers of both ends are full.
  while (before !== given) {
    before = given;
    for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
  }
  expect(given).toBeLessThan(2_000_000);
  stop.abort(new Error('enough'));
  await broken;
});

test('an answer that arrives before the list continues ends the call', async () => {
  const { admin } = await listen((_, response) => {
    response.writeHead(409).end('{"code":"audience_busy","message":"busy"}');
  });
  const silent = async function* (): AsyncGenerator<string> {
    await new Promise(() => {});
    yield '';
  };
  await expect(admin.syncAudience('Users', silent())).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONFLICT' });
});

test('no part of a list is sent to a service that refuses it, and the whole list is sent through a proxy that ignores `Expect`', async () => {
  let bytes = 0;
  const count = (request: IncomingMessage): IncomingMessage => request.on('data', (chunk) => (bytes += chunk.length));
  const refusing = createServer();
  refusing.on('checkContinue', (request, response) => {
    count(request);
    response.writeHead(409).end('{"code":"audience_busy","message":"busy"}');
  });
  const refused = new AdminClient({ url: await serverAt(refusing), token: TOKEN });
  await expect(refused.syncAudience('Users', numbered(100_000))).rejects.toMatchObject({ reason: 'audience_busy' });
  expect(bytes).toBe(0);
  const silent = createServer();
  silent.on('checkContinue', (request, response) => {
    count(request).on('end', () => response.end('{"joined":100000}'));
  });
  const taken = new AdminClient({ url: await serverAt(silent), token: TOKEN });
  expect(await taken.syncAudience('Users', numbered(100_000))).toEqual({ joined: 100_000 });
  expect(bytes).toBeGreaterThan(100_000);
});

test('a call is made once, with the token, to a path below that of the URL', async () => {
  const requests: string[] = [];
  const { url } = await listen((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.destroy();
  });
  const admin = new AdminClient({ url: `${url}/events/`, token: TOKEN });
  await expect(admin.audience('a b')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONNECTION' });
  expect(requests).toEqual([`GET /events/v1/audiences/a%20b Bearer ${TOKEN}`]);
});

test('a call stops when its signal aborts, with the reason of the signal', async () => {
  const { admin } = await listen(() => {});
  await expect(admin.audiences({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await expect(admin.audiences({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
});

test.each([
  [401, 'unauthorized', 'EVENTFERRY_ADMIN_UNAUTHORIZED'],
  [403, 'admin_disabled', 'EVENTFERRY_ADMIN_UNAUTHORIZED'],
  [404, 'not_found', 'EVENTFERRY_ADMIN_NOT_FOUND'],
  [409, 'audience_busy', 'EVENTFERRY_ADMIN_CONFLICT'],
  [422, 'invalid_field', 'EVENTFERRY_ADMIN_REFUSED'],
  [429, 'too_many_attempts', 'EVENTFERRY_ADMIN_UNAVAILABLE'],
  [503, 'closing', 'EVENTFERRY_ADMIN_UNAVAILABLE'],
])('a call answered with %i %s rejects with %s', async (status, reason, code) => {
  const { admin } = await answering(status, JSON.stringify({ code: reason, message: 'why' }), {
    'Retry-After': '7',
  });
  const error = await admin.deleteAudience('a').catch((error) => error);
  expect(error).toMatchObject({ code, reason, status, message: 'why' });
  if (code === 'EVENTFERRY_ADMIN_UNAVAILABLE') expect(error.retryAfterMs).toBe(7_000);
});

test.each([
  [200, '<html>', 'EVENTFERRY_ADMIN_REFUSED'],
  [302, '', 'EVENTFERRY_ADMIN_REFUSED'],
  [502, '<html>', 'EVENTFERRY_ADMIN_UNAVAILABLE'],
])('a call that another server answers with %i %j rejects with %s', async (status, body, code) => {
  const { admin } = await answering(status, body);
  await expect(admin.deleteAudience('a')).rejects.toMatchObject({ code, reason: 'unexpected_answer' });
});

test('a call rejects when the server changes the protocol, which nobody has asked for', async () => {
  const { admin } = await listen(({ socket }) =>
    socket.end('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  await expect(admin.deleteAudience('a')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONNECTION' });
});

test('a call rejects when its answer breaks off', async () => {
  const { admin } = await listen((_, response: ServerResponse) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('[', () => response.destroy());
  });
  await expect(admin.audiences()).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONNECTION' });
});
