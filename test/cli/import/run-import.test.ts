import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Checkpoint } from '../../../src/cli/import/checkpoint.js';
import { runs } from '../../support/runs.js';
import { startCollector } from '../collector.js';
import { run, start } from '../command.js';
import { ndjson, newFile, numbers, rowOf } from '../files.js';

const ROWS = runs(10_000, 20_000);
/** The number of the request that the collector holds until `release` is called. It answers all requests before it. */
const HELD_REQUEST = runs(2, 4);

let release: () => void;
let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  collector = await startCollector({ store: (request) => (request === HELD_REQUEST ? held : undefined) });
});
afterEach(() => collector.close());

const env = () => ({ EVENTFERRY_ENDPOINT: collector.url, EVENTFERRY_WRITE_KEY: 'key' });

const read = async (file: string): Promise<Checkpoint> => JSON.parse(await readFile(`${file}.checkpoint`, 'utf8'));

const received = () => collector.messages.map(({ properties }) => (properties as { number: number }).number);

/** Starts an import and waits until it stands at the held request and its checkpoint has all answered rows. */
async function startHeldImport() {
  const file = await newFile('events.ndjson', ndjson(numbers(ROWS).map(rowOf)));
  const started = await start(['import', file, '--json'], env());
  await vi.waitFor(() => expect(collector.counts.requests).toBe(HELD_REQUEST), 30_000);
  const answered = collector.messages.length;
  await vi.waitFor(async () => expect((await read(file)).last?.line).toBe(answered), 30_000);
  return { file, answered, ...started };
}

/** Starts an import whose first request the collector holds. */
async function startHeldAtOnce() {
  const slow = await startCollector({ store: () => new Promise(() => {}) });
  const file = await newFile('events.ndjson', ndjson(numbers(10).map(rowOf)));
  const to = { EVENTFERRY_ENDPOINT: slow.url, EVENTFERRY_WRITE_KEY: 'key' };
  const started = await start(['import', file, '--salt', 'a'], to);
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await slow.close();
  });
  await vi.waitFor(() => expect(slow.counts.requests).toBe(1), 30_000);
  return { file, to, ...started };
}

describe('an import that is interrupted', { timeout: 60_000 }, () => {
  test('an import resumes after kill -9 without a missing or doubled row', async () => {
    const { file, answered, child, ended } = await startHeldImport();
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    // The collector stores the messages of the held request, although the client has ended.
    release();
    await vi.waitFor(() => expect(collector.messages.length).toBeGreaterThan(answered), 30_000);
    const unheard = collector.messages.length - answered;

    const { code, out } = await run(['import', file, '--json'], env());
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ delivered: ROWS - answered, resumedAfterLine: answered });
    expect(received().sort((a, b) => a - b)).toEqual(numbers(ROWS));
    expect(collector.counts.duplicates).toBe(unheard);
  });

  test('on Ctrl-C, import finishes requests in flight, prints its progress, and can resume there', async () => {
    const { file, child, ended } = await startHeldImport();
    child.kill('SIGINT');
    release();
    const { code, out, err } = await ended;
    const { delivered } = JSON.parse(out);
    expect(code).toBe(130);
    expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toEqual({
      error: {
        command: 'import',
        code: 'EVENTFERRY_CLI_INTERRUPTED',
        message: 'interrupted; repeat the command to continue',
        checkpoint: `${file}.checkpoint`,
        canResume: true,
      },
    });
    expect(await read(file)).toMatchObject({ last: { line: delivered } });
    expect(received()).toEqual(numbers(delivered));

    expect((await run(['import', file, '--json'], env())).code).toBe(0);
    expect(received()).toEqual(numbers(ROWS));
    expect(collector.counts.duplicates).toBe(0);
  });

  test('an import that was killed before its first answer can be resumed only with its own settings', async () => {
    const { file, child, ended } = await startHeldAtOnce();
    child.kill('SIGKILL');
    await ended;
    const to = [file, '--endpoint', collector.url, '--write-key', 'key'];
    expect((await run(['import', ...to, '--salt', 'b'])).err).toMatch(/other files or options; give the same/);
    expect((await run(['import', ...to, '--salt', 'a'])).err).toMatch(/other files or options; give the same/);
    expect(collector.counts.requests).toBe(0);
    expect((await run(['import', ...to, '--restart'])).code).toBe(0);
    expect(received()).toEqual(numbers(10));
  });

  test('two imports with one checkpoint at once lose no row, and give each row the same id', async () => {
    const { file, ended } = await startHeldImport();
    const second = run(['import', file, '--json'], env());
    release();
    // One of them stops if both write the checkpoint at the same moment.
    for (const { code } of [await ended, await second]) expect([0, 3]).toContain(code);
    expect((await run(['import', file, '--json'], env())).code).toBe(0);
    expect(received().sort((a, b) => a - b)).toEqual(numbers(ROWS));
    expect((await read(file)).last?.line).toBe(ROWS);
  });

  test('an interrupted import starts again from the first row only with --restart', async () => {
    const { file, answered, child, ended } = await startHeldImport();
    child.kill('SIGINT');
    await ended;
    release();
    expect(answered).toBeGreaterThan(0);
    const { out } = await run(['import', file, '--restart', '--json'], env());
    expect(JSON.parse(out)).toMatchObject({ delivered: ROWS });
  });
});
