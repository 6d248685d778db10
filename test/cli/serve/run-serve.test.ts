import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sign } from '../../../src/signature/x-signature.js';
import { basic, send } from '../../collector/support.js';
import { listen, startEndpoint } from '../../scheduler/test-endpoint.js';
import { ask, sendBatch, TOKEN, track } from '../../service/support.js';
import { needs } from '../../support/command-exists.js';
import { runProcess, start } from '../command.js';
import { newFile, newFolder } from '../files.js';
import { configText, serving } from '../serving.js';
import { watching } from '../watching.js';

const MISTAKEN = { listen: { port: 70_000 } };

test('serve delivers every accepted message, if necessary after a restart', async () => {
  const crm = await startEndpoint(503, 200);
  const file = await newFile('eventferry.json', configText(crm.url));
  const first = await serving(file);
  expect((await sendBatch(first.url, track('m1'))).status).toBe(200);
  await crm.has(1);
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0, signal: null });
  expect((await first.ended).out).not.toMatch(/shhh|a-token-of|"dev"/);
  const second = await serving(file);
  expect((await sendBatch(second.url, track('m1'), track('m2'))).status).toBe(200);
  await crm.has(3);
  expect(crm.received.map(({ body }) => JSON.parse(body.toString()).messageId).sort()).toEqual(['m1', 'm1', 'm2']);
  second.child.kill('SIGINT');
  expect(await second.ended).toMatchObject({ code: 0 });
  // The first test that starts a process also builds the command.
}, 60_000);

test('serve --json prints its address and what it serves in one line', async () => {
  const { lines, url } = await serving(await newFile('eventferry.json', configText('http://127.0.0.1:9/')));
  expect(lines[0]).toEqual({
    url,
    adminUrl: url,
    config: expect.stringMatching(/eventferry\.json$/),
    store: 'lmdb',
    sources: ['website'],
    destinations: ['crm'],
    admin: true,
  });
});

test.each([[[]], [['--json']]])(
  'serve %j whose log is no longer read answers the running request, and ends cleanly with 141',
  async (flags) => {
    const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/'));
    const { child, ended } = await start(['serve', file, ...flags]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await new Promise<string>((resolve) => {
      let out = '';
      child.stdout?.on('data', (chunk) => {
        out += chunk;
        if (out.includes('the service listens')) resolve(/http:\/\/[\d.]+:\d+/.exec(out)?.[0] ?? '');
      });
    });
    const body = JSON.stringify({ batch: [track('m1')] });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    const head = `POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('dev')}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    child.stdout?.destroy();
    // A change writes a line to the log.
    await ask(url, '/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } }).catch(() => {});
    socket.write(body);
    expect(await answer).toMatch(/^HTTP\/1.1 200/);
    expect(await ended).toMatchObject({ code: 141, signal: null });
  },
);

test('without --json, serve prints what it serves and its log as text', async () => {
  const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/'));
  const { child, ended } = await start(['serve', file]);
  child.stdout?.on('data', (chunk) => String(chunk).includes('the service listens') && child.kill('SIGTERM'));
  const { code, out, err } = await ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^Collecting at http:/);
  expect(out).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z {2}info {3}the service listens {2}url=http:.*$/m);
  expect(out.split('\n').filter((line) => line.startsWith('{'))).toEqual([]);
});

test('serve - reads its configuration from standard input, with paths relative to the current folder', async () => {
  const { child, ended } = await start(['serve', '-', '--json'], {}, configText('http://127.0.0.1:9/', MISTAKEN));
  onTestFinished(() => void child.kill('SIGKILL'));
  const { code, err } = await ended;
  expect({ code, message: JSON.parse(err).error.message }).toEqual({ code: 3, message: '1 mistake in standard input' });
});

test('serve prints each mistake of the configuration on a line and starts nothing', async () => {
  const folder = await newFolder();
  const file = join(folder, 'eventferry.json');
  await writeFile(file, JSON.stringify({ listen: { port: 70_000 }, sources: [{ name: 'website' }] }));
  const { code, out, err } = await runProcess(['serve', file]);
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err).toContain('listen.port: expected an integer from 0 to 65535, got number 70000');
  expect(err).toContain('sources[0]');
});

test.each([
  [['no-such-file.json'], 3, 'serve: there is no file: no-such-file.json (EVENTFERRY_SERVICE_CONFIG_UNREADABLE)\n'],
  [[], 2, "serve: missing required argument 'file'; see eventferry serve --help (EVENTFERRY_CLI_USAGE)\n"],
])('serve %j is refused in one line', async (args, code, err) => {
  expect(await runProcess(['serve', ...args])).toMatchObject({ code, out: '', err });
});

test('serve logs an uncaught error and ends immediately, even in the middle of a write', async () => {
  const failing = "process.on('SIGUSR2', () => { throw new Error('nobody catches this'); })";
  const { child, ended, url } = await serving(await newFile('eventferry.json', configText('http://127.0.0.1:9/')), {
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(failing)}"`,
  });
  const sending = Array.from({ length: 20 }, (_, index) => sendBatch(url, track(`m${index}`)).catch(() => undefined));
  child.kill('SIGUSR2');
  const { signal, out } = await ended;
  expect(signal).toBe('SIGKILL');
  expect(out).toMatch(/"level":"fatal".*"error":"nobody catches this"/);
  await Promise.all(sending);
});

test('serve names the port that is in use', async () => {
  const port = await listen(createServer());
  const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/'));
  const { code, err } = await runProcess(['serve', file, '--port', String(port)]);
  expect({ code, err }).toEqual({
    code: 3,
    err: `serve: port ${port} is already in use; try --port ${port + 1}, or --port 0 for any free one (EADDRINUSE)\n`,
  });
});

test.each([
  ['its port', (port: number) => ({ listen: { port } })],
  ['the port of its admin API', (port: number) => ({ admin: { token: TOKEN, listen: { port, host: '127.0.0.1' } } })],
])(
  'serve that finds %s in use sends none of the waiting events',
  async (_, fields) => {
    // The endpoint does not answer first attempts, so the event waits without a retry delay when the process is killed.
    const crm = await startEndpoint(() => {}, 200);
    const file = await newFile('eventferry.json', configText(crm.url));
    const first = await serving(file);
    expect((await sendBatch(first.url, track('m1'))).status).toBe(200);
    await crm.has(1);
    first.child.kill('SIGKILL');
    await first.ended;
    await writeFile(file, configText(crm.url, fields(await listen(createServer()))));
    expect(await runProcess(['serve', file])).toMatchObject({
      code: 3,
      err: expect.stringContaining('already in use'),
    });
    expect(crm.received).toHaveLength(1);
    await writeFile(file, configText(crm.url));
    await serving(file);
    await crm.has(2);
  },
  60_000,
);

test.runIf(process.platform === 'linux')(
  'serve logs one line when descriptors run out, and recovers',
  async (context) => {
    needs(context, 'prlimit');
    const { child, line, lines, url } = await serving(
      await newFile('eventferry.json', configText('http://127.0.0.1:9/')),
    );
    const { port } = new URL(url);
    const used = (await readdir(`/proc/${child.pid}/fd`)).length;
    execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${used + 5}:${used + 5}`]);
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    const isOut = ({ code }: Record<string, unknown>): boolean => code === 'EMFILE';
    expect(await line(isOut)).toMatchObject({ level: 'error', msg: expect.stringContaining('ulimit -n') });
    for (const socket of sockets) socket.destroy();
    await line(({ msg }) => msg === 'files and connections can be opened again');
    expect((await sendBatch(url, track('m1'))).status).toBe(200);
    expect(lines.filter(isOut)).toHaveLength(1);
  },
);

test('serve at SIGTERM finishes open requests and accepts no more', async () => {
  let waiting: ServerResponse | undefined;
  const crm = await startEndpoint((_, response) => {
    waiting = response;
  });
  const { child, ended, url } = await serving(await newFile('eventferry.json', configText(crm.url)));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await crm.has(1);
  child.kill('SIGTERM');
  await expect.poll(() => fetch(`${url}/readyz`).catch(() => 'closed')).toBe('closed');
  waiting?.writeHead(200).end();
  expect(await ended).toMatchObject({ code: 0, signal: null });
});

test('serve ends immediately at a second signal', async () => {
  const crm = await startEndpoint(() => {});
  const { child, ended, line, url } = await serving(await newFile('eventferry.json', configText(crm.url)));
  await sendBatch(url, track('m1'));
  await crm.has(1);
  child.kill('SIGTERM');
  await line(({ msg }) => String(msg).startsWith('the service ends'));
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
});

test('serve reads its configuration again when the file changes, and at SIGHUP', async () => {
  const [crm, ads] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  const file = await newFile('eventferry.json', configText(crm.url));
  const { child, line, url, lines } = await serving(file);
  await writeFile(file, configText(ads.url));
  expect(await line(({ changes }) => changes !== undefined)).toMatchObject({
    changes: ['destination crm: webhooks changed'],
  });
  await sendBatch(url, track('m1'));
  await ads.has(1);
  child.kill('SIGHUP');
  await expect.poll(() => lines.filter(({ changes }) => changes !== undefined)).toHaveLength(2);
  expect(crm.received).toHaveLength(0);
});

test('serve reports a new configuration with mistakes and keeps the old one', async () => {
  const crm = await startEndpoint(200);
  const file = await newFile('eventferry.json', configText(crm.url));
  const { line, url } = await serving(file);
  await writeFile(
    file,
    configText(crm.url, { sources: [{ name: 'website', writeKeys: ['secret-key', 'secret-key'] }] }),
  );
  // On a slow disk, half of the written file may be seen first, and be reported too.
  const told = await line(({ level, error }) => level === 'error' && String(error).includes('sources[0]'));
  expect(told).toMatchObject({ code: 'EVENTFERRY_SERVICE_INVALID_CONFIG' });
  expect(JSON.stringify(told)).not.toContain('secret-key');
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  expect((await ask(url, '/v1/status')).body.config.error).toContain('1 mistake');
});

test('serve rotates write keys, secrets and the admin token from files without a restart', async () => {
  const crm = await startEndpoint(200);
  const folder = await newFolder();
  const file = join(folder, 'eventferry.json');
  const rotate = async (version: string): Promise<void> => {
    for (const name of ['token', 'key', 'secret']) await writeFile(join(folder, name), `the-${name}-of-${version}\n`);
  };
  await rotate('monday');
  const [token, key, secret] = ['token', 'key', 'secret'].map((name) => `\${file:${name}}`);
  const sources = [{ name: 'website', writeKeys: [key], destinations: ['crm'] }];
  const hook = { name: 'crm', type: 'Webhooks', sharedSecret: secret, webhooks: [{ url: crm.url }] };
  const destinations = [{ ...hook, allowLoopback: true }];
  await writeFile(file, configText(crm.url, { admin: { token }, sources, destinations }));
  const { child, line, lines, url, ended } = await serving(file);
  const admin = async (version: string): Promise<number> =>
    (await ask(url, '/v1/status', { headers: { authorization: `Bearer the-token-of-${version}` } })).status;
  const post = async (id: string, version: string): Promise<number> => {
    const body = JSON.stringify({ batch: [track(id)] });
    const headers = { authorization: basic(`the-key-of-${version}`) };
    return (await send(url, '/v1/batch', { body, headers })).status;
  };
  expect([await admin('monday'), await post('m1', 'monday')]).toEqual([200, 200]);
  await rotate('tuesday');
  child.kill('SIGHUP');
  await line(({ changes }) => String(changes).includes('admin.token changed'));
  expect([await admin('monday'), await admin('tuesday')]).toEqual([401, 200]);
  expect([await post('m2', 'monday'), await post('m2', 'tuesday')]).toEqual([401, 200]);
  await crm.has(2);
  for (const [index, version] of ['monday', 'tuesday'].entries()) {
    const { body, headers } = crm.received[index] ?? {};
    expect(headers?.['x-signature']).toBe(sign(body ?? '', `the-secret-of-${version}`));
  }
  await rm(join(folder, 'key'));
  child.kill('SIGHUP');
  const refused = await line(({ code }) => code === 'EVENTFERRY_SERVICE_INVALID_CONFIG');
  expect(refused['error']).toContain(`expected a text file at ${join(folder, 'key')}, got no such file`);
  expect(await post('m3', 'tuesday')).toBe(200);
  child.kill('SIGTERM');
  await ended;
  expect(JSON.stringify(lines)).not.toMatch(/of-monday|of-tuesday/);
});

const signIn = async (url: string): Promise<string> => {
  const { headers } = await ask(url, '/v1/session', { method: 'POST', json: { token: TOKEN } });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
};

test('the page of serve contains no data, and runs only its own script', async () => {
  const { url } = await serving(await newFile('eventferry.json', configText('http://127.0.0.1:9/')));
  const response = await fetch(url);
  expect(response.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/);
  const html = await response.text();
  expect(html).toContain('data-server="service"');
  expect(html).not.toMatch(/website|crm/);
});

test('the feed of serve records only while a viewer is connected', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(await newFile('eventferry.json', configText(crm.url)));
  expect((await fetch(`${url}/v1/feed`)).status).toBe(401);
  await sendBatch(url, track('unseen'));
  const delivered = async () => (await ask(url, '/v1/destinations')).body.destinations[0].counters.delivered;
  await expect.poll(delivered).toBe(1);
  const cookie = await signIn(url);
  const feed = await watching(url, { cookie });
  expect(feed.response.headers.get('content-type')).toBe('text/event-stream');
  await sendBatch(url, track('seen'), { type: 'nonsense' });
  await expect.poll(feed.text).toContain('"outcome":"delivered"');
  await expect.poll(feed.text).toContain('"kind":"rejected"');
  expect(feed.text()).toContain('"destination":"crm"');
  expect(feed.text()).toContain('"kind":"message"');
  expect(feed.text()).not.toContain('unseen');
});

test('serve prints the separate address of the page, and says which address is taken', async () => {
  const admin = { token: TOKEN, listen: { port: 0 } };
  const { lines, url } = await serving(await newFile('eventferry.json', configText('http://127.0.0.1:9/', { admin })));
  const { adminUrl } = lines[0] ?? {};
  expect(adminUrl).not.toBe(url);
  expect((await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
  const taken = { ...admin, listen: { port: Number(new URL(String(adminUrl)).port) } };
  const other = await newFile('eventferry.json', configText('http://127.0.0.1:9/', { admin: taken }));
  const { ended } = await start(['serve', other]);
  expect(await ended).toMatchObject({ code: 3, err: expect.stringMatching(/^serve: admin\.listen: .*EADDRINUSE/m) });
});
