/**
 * Syncs an audience of many members over HTTP, or with `--values` a computed trait: at first all of them, then the same list, then
 * one in ten changed.
 *
 *     npx tsx bench/service/audience.ts [members] [--values]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AdminClient } from '../../src/admin/index.js';

const { values: options, positionals } = parseArgs({
  options: { values: { type: 'boolean' } },
  allowPositionals: true,
});
const members = Number(positionals[0] ?? 1_000_000);

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

/** The same users with a value each, one in ten of which is another after each turn. */
function* valuesOf(turn: number): Generator<{ userId: string; value: number }> {
  let index = 0;
  for (const userId of idsOf(0)) yield { userId, value: index++ % 10 === 0 ? turn : 7 };
}

/** What a sync did, in words. */
async function sync(turn: number): Promise<string> {
  if (options.values === true) {
    const { users, added, changed, removed } = await admin.syncTrait('Bench', valuesOf(turn));
    return `${users} users, ${added} added, ${changed} changed, ${removed} removed`;
  }
  const { members: count, joined, left } = await admin.syncAudience('Bench', idsOf(turn));
  return `${count} members, ${joined} joined, ${left} left`;
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
  const done = await sync(turn);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await usage();
  console.log(
    `${name}: ${done}, ${after.messages - before.messages} messages in`,
    `${seconds.toFixed(1)} s, ${Math.round(members / seconds)}/s, ${((after.cpuMs - before.cpuMs) / 1_000).toFixed(1)} s of CPU;`,
    `own memory at most ${megabytes(after.mostOwnBytes)}, ${megabytes(after.rssBytes)} resident`,
  );
}
child.kill();
rmSync(path, { recursive: true });
