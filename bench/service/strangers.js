// What strangers cost a customer of the same collector: they send bodies with a write key that nobody has, over and over, in a process
// of their own, while a customer sends small batches, one after the other:
//
//   node bench/service/strangers.js [--connections 64] [--bytes 400000] [--key header|body] [--seconds 10] [--profile FOLDER]
//
// Says how long the customer's requests took, without strangers and with them. After `npm run build`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startReceiver, startService } from './service.js';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '64' },
    bytes: { type: 'string', default: '400000' },
    key: { type: 'string', default: 'header' },
    seconds: { type: 'string', default: '10' },
    profile: { type: 'string' },
    customers: { type: 'string', default: '0' },
    role: { type: 'string', default: 'customer' },
    port: { type: 'string', default: '0' },
  },
});
const [connections, bytes, seconds, port] = ['connections', 'bytes', 'seconds', 'port'].map((name) =>
  Number(values[name]),
);

const track = { type: 'track', event: 'Order Completed', userId: 'u1' };

/** Resolves with the status, or the code of the connection's error. */
function post(to, agent, headers, body) {
  const started = performance.now();
  return new Promise((resolve) => {
    const settle = (result) => resolve({ result, ms: performance.now() - started });
    const sent = request({ host: '127.0.0.1', port: to, path: '/v1/batch', method: 'POST', agent, headers });
    sent.on('response', (response) => response.resume().on('end', () => settle(response.statusCode)));
    sent.on('error', ({ code }) => settle(code));
    sent.end(body);
  });
}

const basic = (key) => ({ Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` });

const roles = {
  async collector() {
    const { Collector } = await import('../../dist/collector.js');
    const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
    process.send((await collector.listen({ port: 0 })).url);
    // Exits in the usual way, so that a profile is written.
    process.once('SIGTERM', () => process.exit());
  },

  strangers() {
    const json = JSON.stringify({ writeKey: 'nobody', batch: [track], padding: 'x'.repeat(bytes) });
    const key = values.key === 'header' ? `Authorization: ${basic('nobody').Authorization}\r\n` : '';
    const head = `POST /v1/batch HTTP/1.1\r\nHost: localhost\r\n${key}Content-Length: ${json.length}\r\n\r\n`;
    const whole = Buffer.from(head + json);
    const results = {};
    process.on('message', () => process.send(results));
    // Sends the next request as soon as the answer to the last one is there, and connects anew when it is cut off.
    const open = () => {
      const socket = connect(port, '127.0.0.1');
      const send = () => socket.write(whole);
      socket.on('connect', send).on('data', (chunk) => {
        const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1')) ?? [];
        if (status === undefined) return;
        results[status] = (results[status] ?? 0) + 1;
        if (/^connection: close/im.test(chunk.toString('latin1'))) return;
        send();
      });
      socket.on('error', ({ code }) => (results[code] = (results[code] ?? 0) + 1));
      socket.on('close', open);
    };
    for (let index = 0; index < connections; index++) open();
  },

  async customer() {
    const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
    const collector = Number(values.customers) > 0 ? await serve(profile) : await collect(profile);
    const { port } = new URL(collector.url);
    await measure(port, 2);
    console.log(`alone: ${await measure(port, seconds)}`);
    const strangers = start('strangers', [
      '--port',
      port,
      '--connections',
      values.connections,
      '--bytes',
      values.bytes,
    ]);
    await delay(1_000);
    console.log(`with strangers: ${await measure(port, seconds)}`);
    strangers.send('count');
    const [results] = await once(strangers, 'message');
    console.log(`answers to strangers: ${JSON.stringify(results)}`);
    strangers.kill('SIGKILL');
    await collector.stop();
  },
};

const start = (role, more = [], execArgv = []) =>
  fork(fileURLToPath(import.meta.url), ['--role', role, '--key', values.key, ...more], { execArgv });

async function collect(flags) {
  const child = start('collector', [], flags);
  const [url] = await once(child, 'message');
  return { url, stop: () => child.kill() };
}

/** A service on lmdb, where each customer is a source and a destination. */
async function serve(flags) {
  const folder = mkdtempSync(join(tmpdir(), 'strangers-'));
  const receiver = await startReceiver();
  const names = Array.from({ length: Number(values.customers) }, (_, index) => `customer-${index}`);
  const config = {
    listen: { port: 0 },
    store: { type: 'lmdb', path: 'data' },
    audiences: { destinations: [] },
    sources: names.map((name, index) => ({ name, writeKeys: [index === 0 ? 'dev' : name], destinations: [name] })),
    destinations: names.map((name) => ({
      name,
      type: 'Webhooks',
      allowLoopback: true,
      webhooks: [{ url: `${receiver.url}/${name}` }],
    })),
  };
  const service = await startService(folder, config, 'strangers', flags);
  return {
    url: service.url,
    async stop() {
      process.kill(service.pid, 'SIGTERM');
      await service.ended;
      receiver.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function measure(to, forSeconds) {
  const agent = new Agent({ keepAlive: true });
  const times = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    const { result, ms } = await post(to, agent, basic('dev'), JSON.stringify({ batch: [track] }));
    if (result !== 200) throw new Error(`The customer was answered ${result}`);
    times.push(ms);
    await delay(10);
  }
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
  return `${times.length} requests, p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
}

await roles[values.role]();
