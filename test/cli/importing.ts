import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterEach, beforeEach } from 'vitest';
import type { ImportRunOptions } from '../../src/cli/import/import-run.js';
import { runImport } from '../../src/cli/import/run-import.js';
import { startCollector } from './collector.js';
import { withStdin } from './stdin.js';
import { readableTerminal } from './terminal.js';

/** Imports in this process, and returns what was printed. */
export async function importTo(
  endpoint: string,
  names: readonly string[],
  options: Partial<ImportRunOptions> = {},
  stdin = '',
) {
  const { printed, terminal } = readableTerminal({ isJson: true });
  const connection = { endpoint, writeKey: 'key' };
  const importing = withStdin(Readable.from([Buffer.from(stdin)]), () =>
    runImport(names, { ...connection, ...options }, terminal),
  );
  const ended = await importing.then(
    (code) => ({ code, stopped: undefined }),
    (error) => {
      // An import that has started prints a summary, so an error without one means that it did not start.
      if (printed.out === '') throw error;
      return { code: error.exitCode as number, stopped: error.message as string };
    },
  );
  return { ...ended, summary: JSON.parse(printed.out), err: printed.err };
}

/** Returns the lines of an NDJSON file. */
export const linesOf = async (path: string): Promise<unknown[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Starts a collector for each test of a file. Returns what it received, and a function that imports to it. */
export function useCollector() {
  let running: Awaited<ReturnType<typeof startCollector>>;
  beforeEach(async () => {
    running = await startCollector();
  });
  afterEach(() => running.close());
  return {
    collector: {
      get url() {
        return running.url;
      },
      get counts() {
        return running.counts;
      },
    },
    received: () => running.messages.map(({ properties }) => (properties as { number: number }).number),
    messages: () => running.messages,
    importOf: (names: readonly string[], options: Partial<ImportRunOptions> = {}, stdin = '') =>
      importTo(running.url, names, options, stdin),
  };
}
