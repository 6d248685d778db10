import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startProxy } from '../support/proxy.js';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

// Sends more requests than use node:http before undici takes over.
const APP = `
import { Analytics } from 'eventferry';
const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, flushAt: 1 });
for (let i = 0; i < 10; i++) await analytics.track({ userId: 'u1', event: 'Order Completed' }).delivered;
console.log((await analytics.close()).delivered);
`;

const NODES_OWN = `
  require('node:http').request(process.env.ENDPOINT, { method: 'POST' }, (answer) => answer.resume()).end('{"batch":[]}');
`;

const root = join(import.meta.dirname, '../..');

/** The first Node version whose own clients support proxies, if the checks have installed it. */
const newerNode = [join(root, `.ci-node/24/node_modules/node-linux-${process.arch}/bin/node`)].find(existsSync);

test('with NODE_USE_ENV_PROXY=1, all requests go through the proxy of the environment, with its password', async () => {
  const { url, messages } = await sink();
  const proxy = await startProxy({ credentials: 'user:p@ss' });
  const folder = await freshFolder({ 'app.mjs': APP });
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url.replace('//', '//user:p%40ss@'), ENDPOINT: url };
  expect(await folder.node(['app.mjs'], env).ended).toEqual({ code: 0, signal: null, stdout: '10\n', stderr: '' });
  expect(proxy.asked).toEqual(Array(10).fill(`POST ${url}/v1/batch`));
  expect(messages).toHaveLength(10);
});

test('with NO_PROXY or without NODE_USE_ENV_PROXY, requests go where Node’s own client sends them', async () => {
  const { url, messages } = await sink();
  const { port } = new URL(url);
  const proxy = await startProxy();
  const folder = await freshFolder({ 'app.mjs': APP });
  const isProxied = async (send: () => unknown): Promise<boolean> => {
    const before = proxy.asked.length;
    await send();
    return proxy.asked.length > before;
  };
  const on = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url };
  const environments: [expected: boolean, env: Record<string, string>][] = [
    [true, on],
    [false, { HTTP_PROXY: proxy.url }],
    [false, { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url }],
    [false, { ...on, NO_PROXY: 'other.test, 127.0.0.1' }],
    [false, { ...on, NO_PROXY: `127.0.0.1:${port}` }],
    [true, { ...on, NO_PROXY: '127.0.0.1:1' }],
    [false, { ...on, NO_PROXY: '127.0.0.0-127.0.0.9' }],
    [true, { ...on, NO_PROXY: '127.0.0.2-127.0.0.9,127.0.0.0/8' }],
    [true, { ...on, NO_PROXY: '*', no_proxy: 'other.test' }],
  ];
  for (const [expected, variables] of environments) {
    const env = { ENDPOINT: url, ...variables };
    const isOurs = await isProxied(() => folder.node(['app.mjs'], env).ended);
    expect(isOurs, JSON.stringify(variables)).toBe(expected);
    if (newerNode === undefined) continue;
    const isNodes = await isProxied(() => promisify(execFile)(newerNode, ['--eval', NODES_OWN], { env }));
    expect(isNodes, JSON.stringify(variables)).toBe(expected);
  }
  expect(messages).toHaveLength(10 * environments.length);
});
