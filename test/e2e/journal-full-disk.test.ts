import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { sink } from '../support/sink.js';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

/** A program that tracks while another file fills the disk, and after there is space again. */
const program = (endpoint: string, disk: string): string => `
  import { openSync, writeSync, closeSync, rmSync } from 'node:fs';
  import { setTimeout as delay } from 'node:timers/promises';
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${disk}/journal', requestTimeout: 60_000 });
  const kinds = [];
  analytics.on('journal', ({ kind, error }) => kinds.push(error === undefined ? kind : kind + ' ' + error.code));
  let n = 0;
  const track = (count) => Array.from({ length: count }, () => analytics.track({ userId: 'u', event: 'E', properties: { n: n++, pad: 'x'.repeat(2_000) } }));
  const before = track(100);
  await Promise.all(before.map(({ stored }) => stored));
  const ballast = openSync('${disk}/ballast', 'w');
  try { for (;;) writeSync(ballast, Buffer.alloc(4_096)); } catch {}
  closeSync(ballast);
  while (kinds.length === 0) { track(100); await delay(5); }
  const meanwhile = track(10);
  rmSync('${disk}/ballast');
  await Promise.all(meanwhile.map(({ stored }) => stored));
  await Promise.all(track(10).map(({ stored }) => stored));
  console.log(JSON.stringify({ kinds, tracked: n }));
  process.kill(process.pid, 'SIGKILL');
`;

test('a client whose disk fills up continues in memory, stores again when there is space, and loses no message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const collector = await sink();
  const down = 'http://127.0.0.1:1';
  const next = `
    const { Analytics } = await import('eventferry');
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', journal: '${folder}/journal' });
    await analytics.close();
  `;
  // The disk disappears when the last process that uses it ends.
  const script = `mount -t tmpfs -o size=24m none "$0" && { "$1" --input-type=module --eval "$2"; "$1" --input-type=module --eval "$3"; }`;
  const [command, ...args] = [
    'unshare',
    '--user',
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    script,
    folder,
    process.execPath,
  ];
  const child = spawn(command, [...args, program(down, folder), next], { cwd: packageRoot });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  await once(child, 'close');
  const { kinds, tracked } = JSON.parse(stdout || `{"stderr":${JSON.stringify(stderr)}}`);
  expect(kinds).toEqual(['failing EVENTFERRY_JOURNAL_NO_ROOM', 'storing']);
  const numbers = collector.messages.map(
    (message) => (message as unknown as { properties: { n: number } }).properties.n,
  );
  expect(numbers).toEqual(Array.from({ length: tracked }, (_, n) => n));
});

/** A program that stores 100 messages on a disk, fills the disk with another file, and is killed. */
const leaving = (disk: string): string => `
  import { openSync, writeSync } from 'node:fs';
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', journal: '${disk}/journal' });
  await Promise.all(Array.from({ length: 100 }, (_, n) => analytics.track({ userId: 'u', event: 'E', properties: { n } }).stored));
  const ballast = openSync('${disk}/ballast', 'w');
  try { for (;;) writeSync(ballast, Buffer.alloc(4_096)); } catch {}
  process.kill(process.pid, 'SIGKILL');
`;

test.each([
  { act: 'a client', expected: '{"recovered":100,"delivered":101}\n', received: 101 },
  { act: 'journal flush', expected: '100 messages delivered, 0 lost, 0 left\n', received: 100 },
  { act: 'journal drop --all', expected: '0 dead letters and 100 waiting messages dropped\n', received: 0 },
])(
  'when a process starts on a full disk, $act sends or drops the stored messages',
  async ({ act, expected, received }) => {
    const folder = await mkdtemp(join(tmpdir(), 'eventferry-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const collector = await sink();
    const program = `
    const { Analytics } = await import('eventferry');
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', journal: '${folder}/journal' });
    analytics.track({ userId: 'u', event: 'E' });
    const { recovered, delivered } = await analytics.close();
    console.log(JSON.stringify({ recovered, delivered }));
  `;
    const cli = join(packageRoot, 'dist', 'cli.js');
    const commands: Record<string, string[]> = {
      'a client': ['--input-type=module', '--eval', program],
      'journal flush': [
        cli,
        'journal',
        'flush',
        `${folder}/journal`,
        '--endpoint',
        collector.url,
        '--write-key',
        'key',
      ],
      'journal drop --all': [cli, 'journal', 'drop', `${folder}/journal`, '--all', '--yes'],
    };
    const script = `mount -t tmpfs -o size=8m none "$0" && { "$1" --input-type=module --eval "$2"; shift 2; "$@"; }`;
    const inside = [
      '--user',
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      script,
      folder,
      process.execPath,
      leaving(folder),
    ];
    const child = spawn('unshare', [...inside, process.execPath, ...(commands[act] ?? [])], { cwd: packageRoot });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    const [code] = await once(child, 'close');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
    expect(collector.messages).toHaveLength(received);
  },
);
