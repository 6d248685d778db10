import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Starts servers of its own, for which `redis-server` has to be installed; so not in `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/redis/**/*.test.ts'],
    // Each of them kills processes or waits for one to be missed.
    testTimeout: 240_000,
    // A second, which it is otherwise, is not always enough where something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Most of the time is spent waiting: for servers that start or are killed, and for processes that are missed.
    maxWorkers: 3,
    // The sources are loaded once for all files, each of which has servers of its own.
    isolate: false,
  },
});
