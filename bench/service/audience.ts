/**
 * Syncs an audience of many members over HTTP: at first all of them, then the same list, then one in ten changed.
 *
 *     npx tsx bench/service/audience.ts [members]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AdminClient } from '../../src/admin/index.js';

const [given = '1000000'] = process.argv.slice(2);
const members = Number(given);

const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
const child = fork(fileURLToPath(new URL('./audience-process.ts', import.meta.url)), [path], {
  execArgv: ['--import', 'tsx'],
});
const [url] = (await once(child, 'message')) as [string];
const admin = new AdminClient({ url, token: 'bench' });

/** Ids in no order, one in ten of them another after each turn, and every hundredth twice. */
function* idsOf(turn: number): Generator<string> {
  for (let index = 0; index < members; index++) {
    const scrambled = (index * 7_919) % members;
    const id = `user-${scrambled}${index % 10 === 0 ? `-${turn}` : ''}@example.com`;
    yield id;
    if (index % 100 === 0) yield id;
  }
}

interface Usage {
  mostOwnBytes: number;
  rssBytes: number;
  cpuMs: number;
  messages: number;
}

const usage = async (): Promise<Usage> => (await (await fetch(`${url}/usage`)).json()) as Usage;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

for (const [name, turn] of [
  ['all join', 0],
  ['nobody changes', 0],
  ['one in ten changes', 1],
] as const) {
  const before = await usage();
  const startedAt = performance.now();
  const { members: count, joined, left } = await admin.syncAudience('Bench', idsOf(turn));
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await usage();
  console.log(
    `${name}: ${count} members, ${joined} joined, ${left} left, ${after.messages - before.messages} messages in`,
    `${seconds.toFixed(1)} s, ${Math.round(members / seconds)}/s, ${((after.cpuMs - before.cpuMs) / 1_000).toFixed(1)} s of CPU;`,
    `own memory at most ${megabytes(after.mostOwnBytes)}, ${megabytes(after.rssBytes)} resident`,
  );
}
child.kill();
rmSync(path, { recursive: true });
