import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startListening } from '../../src/collector/collector-server.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { run } from './command.js';
import { newFile, newFolder } from './files.js';

const NOWHERE = 'http://127.0.0.1:1';

/** Opens a store in this process, and returns its folder. */
async function storeInUse(): Promise<string> {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  return path;
}

async function portInUse(): Promise<string> {
  const server = createServer();
  onTestFinished(() => void server.close());
  const { port } = (await startListening(server, 0, '127.0.0.1')) as AddressInfo;
  return `${port}`;
}

test.each<[code: string, args: () => Promise<string[]> | string[]]>([
  ['EVENTFERRY_CLI_USAGE', () => ['sned']],
  [
    'EVENTFERRY_CLI_FAILED',
    async () => ['verify', await newFile('b', '{}'), '--secret', 's', '--header', 'x-signature: x'],
  ],
  ['EVENTFERRY_CLI_UNUSABLE', async () => ['import', await newFile('a.json', '[{}]'), '--dry-run']],
  ['ENOENT', async () => ['compact', await newFolder()]],
  ['ENOENT', () => ['import', 'nowhere.ndjson', '--dry-run']],
  ['EADDRINUSE', async () => ['dev', '--port', await portInUse()]],
  ['EVENTFERRY_PLAN_UNREADABLE', () => ['types', 'nowhere.json']],
  ['EVENTFERRY_PLAN_INVALID', async () => ['types', await newFile('plan.json', '{"events":{"a":3}}')]],
  ['EVENTFERRY_SERVICE_INVALID_CONFIG', async () => ['check-config', await newFile('c.yaml', 'sources: 3')]],
  ['EVENTFERRY_ADMIN_CONNECTION', () => ['audience', 'list', '--token', 'a-token-of-tests', '--url', NOWHERE]],
  ['EVENTFERRY_DESTINATION_INVALID_OPTION', () => ['dev', '--webhook', 'nonsense']],
  ['EVENTFERRY_STORE_IN_USE', async () => ['deliveries', 'replay', await storeInUse(), '--all']],
  ['EVENTFERRY_STORE_IN_USE', async () => ['compact', await storeInUse()]],
  [
    'EVENTFERRY_INVALID_OPTION',
    () => ['send', 'track', '--endpoint', 'nonsense', '--write-key', 'k', '--user', 'u', '--event', 'x'],
  ],
])('a command that ends with %s writes the code once', async (code, args) => {
  const given = await args();
  const { err } = await run(given);
  expect(err.split(code), err).toHaveLength(2);
  const json = await run([...given, '--json']);
  expect(JSON.parse(json.err).error.code).toBe(code);
  expect(JSON.parse(json.err).error.message).not.toContain(` (${code})`);
});
