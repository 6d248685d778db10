import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../../../src/cli/import/checkpoint.js';
import { startCollector } from '../collector.js';
import { run, start } from '../command.js';
import { ndjson, newFile, numbers, rowOf } from '../files.js';

const ROWS = 20_000;
/** The request whose messages are not stored until the test says so: everything before it is answered. */
const HELD_REQUEST = 4;

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

/** Starts an import that comes to stand at the held request, with a checkpoint of all that was answered. */
async function startHeldImport() {
  const file = await newFile('events.ndjson', ndjson(numbers(ROWS).map(rowOf)));
  const started = await start(['import', file, '--json'], env());
  await vi.waitFor(() => expect(collector.counts.requests).toBe(HELD_REQUEST), 30_000);
  const answered = collector.messages.length;
  await vi.waitFor(async () => expect((await read(file)).delivered).toBe(answered), 30_000);
  return { file, answered, ...started };
}

describe('an import that is interrupted', { timeout: 60_000 }, () => {
  test('import after kill -9 resumes at the checkpoint without a missing or doubled row', async () => {
    const { file, answered, child, ended } = await startHeldImport();
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    // The collector stores what came, though nobody is left to hear of it.
    release();
    await vi.waitFor(() => expect(collector.messages.length).toBeGreaterThan(answered), 30_000);
    const unheard = collector.messages.length - answered;

    const { code, out } = await run(['import', file, '--json', '--resume'], env());
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ delivered: ROWS - answered, resumedAfterLine: answered });
    expect(received().sort((a, b) => a - b)).toEqual(numbers(ROWS));
    expect(collector.counts.duplicates).toBe(unheard);
  });

  test('import at Ctrl-C finishes requests in flight, prints its progress, and resumes there', async () => {
    const { file, child, ended } = await startHeldImport();
    child.kill('SIGINT');
    release();
    const { code, out } = await ended;
    const { delivered, stopped } = JSON.parse(out);
    expect({ code, stopped }).toEqual({ code: 130, stopped: 'interrupted' });
    expect(await read(file)).toMatchObject({ delivered, isDone: false, last: { line: delivered } });
    expect(received()).toEqual(numbers(delivered));

    expect((await run(['import', file, '--json', '--resume'], env())).code).toBe(0);
    expect(received()).toEqual(numbers(ROWS));
    expect(collector.counts.duplicates).toBe(0);
  });
});
