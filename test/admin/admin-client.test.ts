import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { AdminClient, type AdminClientOptions } from '../../src/admin/index.js';
import { numbered } from '../service/audiences/numbered.js';
import { listen as listenAt, serveAudiences } from '../service/audiences/serve.js';
import { stagedOn } from '../service/audiences/support.js';

const TOKEN = 'a-token-that-nobody-may-see';

async function listen(listener: RequestListener): Promise<{ url: string; admin: AdminClient }> {
  const url = await listenAt(listener);
  return { url, admin: new AdminClient({ url, token: TOKEN }) };
}

/** A client of real audiences behind a real server. */
async function serve() {
  const served = await serveAudiences({ runSize: 1_000 }, TOKEN);
  return { ...served, admin: new AdminClient({ url: served.url, token: TOKEN }) };
}

/** A server that answers one thing. */
const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  listen((request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });

describe('audiences', () => {
  test('are synced from any list, changed, told of and deleted', async () => {
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

  test('a list that throws is broken off, and changes nothing', async () => {
    const { admin, audiences, keyValues } = await serve();
    const broken = async function* (): AsyncGenerator<string> {
      yield* numbered(30_000);
      throw new Error('the disk is gone');
    };
    await expect(admin.syncAudience('Users', broken())).rejects.toThrow('the disk is gone');
    while ((await audiences.list()).length > 0 || (await stagedOn(keyValues)).length > 0)
      await new Promise(setImmediate);
  });

  test('an id that is none is refused where it stands', async () => {
    const { admin } = await serve();
    const code = 'EVENTFERRY_ADMIN_INVALID_OPTION';
    const refused = admin.syncAudience('Users', ['ann', 42 as unknown as string]);
    await expect(refused).rejects.toMatchObject({ code, option: 'userIds[1]' });
    await expect(admin.changeAudience('Users', { leave: [''] })).rejects.toMatchObject({ code, option: 'leave[0]' });
    await expect(admin.syncAudience('', [])).rejects.toMatchObject({ code, option: 'name' });
    await expect(admin.audience('..')).rejects.toMatchObject({ code, option: 'name' });
  });

  test('a conflict says what is in the way', async () => {
    const { admin, keyValues } = await serve();
    let end = (): void => {};
    const held = async function* (): AsyncGenerator<string> {
      yield* numbered(10_000);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    const first = admin.syncAudience('Users', held());
    while ((await stagedOn(keyValues)).length === 0) await new Promise(setImmediate);
    const second = admin.syncAudience('Users', numbered(200_000));
    await expect(second).rejects.toMatchObject({
      code: 'EVENTFERRY_ADMIN_CONFLICT',
      reason: 'audience_busy',
      retryAfterMs: 5_000,
    });
    end();
    await first;
    const other = admin.syncAudience('users', []);
    await expect(other).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONFLICT', reason: 'audience_trait_taken' });
  });
});

describe('the call', () => {
  test('sends a list only as fast as it is taken', async () => {
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
    // Until nothing moves any more: the buffers of both ends are full.
    while (before !== given) {
      before = given;
      for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
    }
    expect(given).toBeLessThan(2_000_000);
    stop.abort(new Error('enough'));
    await broken;
  });

  test('hears an answer that comes while the list waits', async () => {
    const { admin } = await listen((_, response) => {
      response.writeHead(409).end('{"code":"audience_busy","message":"busy"}');
    });
    const silent = async function* (): AsyncGenerator<string> {
      await new Promise(() => {});
      yield '';
    };
    await expect(admin.syncAudience('Users', silent())).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONFLICT' });
  });

  test('is made once, with the token, below the path of the URL', async () => {
    const requests: string[] = [];
    const { url } = await listen((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.destroy();
    });
    const admin = new AdminClient({ url: `${url}/events/`, token: TOKEN });
    await expect(admin.audience('a b')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONNECTION' });
    expect(requests).toEqual([`GET /events/v1/audiences/a%20b Bearer ${TOKEN}`]);
  });

  test('breaks off at a signal, with its reason', async () => {
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
  ])('answered with %i %s rejects with %s', async (status, reason, code) => {
    const { admin } = await answering(status, JSON.stringify({ code: reason, message: 'why' }), {
      'Retry-After': '7',
    });
    const error = await admin.audiences().catch((error) => error);
    expect(error).toMatchObject({ code, reason, status, message: 'why' });
    if (code === 'EVENTFERRY_ADMIN_UNAVAILABLE') expect(error.retryAfterMs).toBe(7_000);
  });

  test.each([
    [200, '<html>', 'EVENTFERRY_ADMIN_REFUSED'],
    [302, '', 'EVENTFERRY_ADMIN_REFUSED'],
    [502, '<html>', 'EVENTFERRY_ADMIN_UNAVAILABLE'],
  ])('answered with %i %j by somebody else rejects with %s', async (status, body, code) => {
    const { admin } = await answering(status, body);
    await expect(admin.audiences()).rejects.toMatchObject({ code, reason: 'unexpected_answer' });
  });

  test('whose answer breaks off rejects', async () => {
    const { admin } = await listen((_, response: ServerResponse) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('[', () => response.destroy());
    });
    await expect(admin.audiences()).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONNECTION' });
  });
});

describe('deletions', () => {
  test('are asked for by ids and sources, and asked about', async () => {
    const requests: unknown[] = [];
    const { admin } = await listen(async (request, response) => {
      requests.push(`${request.method} ${request.url}`, (await request.toArray()).join(''));
      response.writeHead(202).end('{"id":"d1","users":2,"notifications":2,"status":"running"}');
    });
    expect(await admin.requestDeletion(new Set(['ann', 'bob']), { sources: ['web'] })).toMatchObject({ id: 'd1' });
    await admin.requestDeletion(['ann']);
    await admin.deletion('d/1');
    expect(requests).toEqual([
      'POST /v1/deletions',
      '{"userIds":["ann","bob"],"sources":["web"]}',
      'POST /v1/deletions',
      '{"userIds":["ann"]}',
      'GET /v1/deletions/d%2F1',
      '',
    ]);
  });
});

describe('the token', () => {
  test('is seen in no error and no inspection', async () => {
    const { url, admin } = await serve();
    const wrong = new AdminClient({ url, token: `${TOKEN}-wrong` });
    const gone = new AdminClient({ url: 'http://127.0.0.1:1', token: TOKEN });
    const errors = await Promise.all(
      [wrong, gone].map((client) => client.audiences().catch((error: unknown) => error)),
    );
    expect(errors).toMatchObject([{ code: 'EVENTFERRY_ADMIN_UNAUTHORIZED' }, { code: 'EVENTFERRY_ADMIN_CONNECTION' }]);
    for (const thing of [...errors, admin]) {
      expect(inspect(thing, { depth: 10, showHidden: true }) + JSON.stringify(thing)).not.toContain(TOKEN);
    }
  });

  test.each([
    [{ url: 'http://a.example', token: '' }, 'token'],
    [{ url: 'http://a.example', token: 'secret with\nnewline' }, 'token'],
    [{ url: 'http://a.example' }, 'token'],
    [{ url: 'ftp://a.example', token: 't' }, 'url'],
    [{ url: 'http://me:secret@a.example', token: 't' }, 'url'],
    [{ url: 'http://a.example?x=secret', token: 't' }, 'url'],
    [{ token: 't' }, 'url'],
    [{ url: 'http://a.example', token: 't', tokn: 'secret' }, 'tokn'],
    [undefined, 'options'],
  ])('%j is refused by its %s, unseen', (options, option) => {
    const make = () => new AdminClient(options as AdminClientOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'EVENTFERRY_ADMIN_INVALID_OPTION', option }));
    expect(make).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }));
  });
});

test('the door brings nothing of the server along', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { metafile } = await build({
    entryPoints: [`${root}src/admin/index.ts`],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    write: false,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).sort()).toEqual([
    'node_modules/leven/index.js',
    'src/admin/admin-client.ts',
    'src/admin/admin-request.ts',
    'src/admin/errors.ts',
    'src/admin/index.ts',
    'src/admin/user-id-lines.ts',
    'src/check-options.ts',
    'src/clock.ts',
    'src/describe.ts',
    'src/errors.ts',
    'src/printable.ts',
    'src/service/audiences/user-id.ts',
    'src/suggest.ts',
  ]);
});
