import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { RedisCluster } from '../redis/redis-cluster.js';
import { RedisSentinels } from '../redis/redis-sentinels.js';
import { RedisServer } from '../redis/redis-server.js';
import { shownConfigurations, variablesIn, whole } from './configurations.js';
import { COMMAND, Home } from './service.js';

const run = promisify(execFile);

/** With these arguments the service sees its own empty `/var/lib`, where a configuration has its store. */
const WITH_OWN_FOLDERS = [
  ...['unshare', '--user', '--map-root-user', '--mount'],
  ...['sh', '-c', 'mount -t tmpfs none /var/lib && exec "$0" "$@"'],
];

/** Returns a value for each variable, as long as a token has to be, and a key for each secret. */
async function environmentOf(text: string, home: Home): Promise<Record<string, string>> {
  const known: Record<string, string> = { PORT: new URL(home.url).port };
  if (variablesIn(text).includes('REDIS_URL')) {
    const server = await RedisServer.start();
    onTestFinished(() => server.remove());
    known['REDIS_URL'] = server.url;
  }
  return Object.fromEntries(variablesIn(text).map((name) => [name, known[name] ?? textFor(name)]));
}

const textFor = (name: string): string =>
  name.endsWith('_SECRET') ? `whsec_${Buffer.alloc(24, name).toString('base64')}` : `${name}-0123456789abcdef`;

/** Replaces the Redis Sentinels that a text names by real ones. */
async function withSentinels(text: string): Promise<string> {
  const named = /sentinels: \[.*\]/;
  if (!named.test(text)) return text;
  const { sentinels } = await RedisSentinels.start('mymaster', textFor('REDIS_PASSWORD'));
  return text.replace(named, `sentinels: ${JSON.stringify(sentinels)}`);
}

/** Replaces the nodes of a Redis Cluster that a text names by real ones. */
async function withNodes(text: string): Promise<string> {
  const named = /cluster: \[.*\]/;
  if (!named.test(text)) return text;
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  return text.replace(named, `cluster: ${JSON.stringify(cluster.urls)}`);
}

test('configurations are found in each of the pages that show them', () => {
  const pages = shownConfigurations.map(({ where }) => where.split(':')[0]);
  expect([...new Set(pages)]).toEqual(
    expect.arrayContaining(['README.md', 'docs/configuration.md', 'docs/scaling.md', 'docs/service.md']),
  );
});

test.each(shownConfigurations)(
  'the configuration at $where passes check-config and starts a service',
  async (shown) => {
    const text = await withSentinels(await withNodes(whole(shown)));
    const home = await Home.pasted(shown.file, text);
    // A source may refer to this file.
    await copyFile(join(import.meta.dirname, '../../examples/plan.json'), join(home.folder, 'plan.json'));
    const env = await environmentOf(text, home);

    // This rejects with the output of the command if the configuration is wrong.
    await run(process.execPath, [COMMAND, 'check-config', home.file], { env: { PATH: process.env['PATH'], ...env } });
    const service = await home.start({ under: WITH_OWN_FOLDERS, env });
    while ((await fetch(`${home.url}/readyz`)).status !== 200) await delay(50);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
);
