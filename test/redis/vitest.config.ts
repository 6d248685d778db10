import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** These tests start `redis-server`, which must be installed, so they are not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    include: ['test/redis/**/*.test.ts'],
    // Each test kills processes or waits until one is missed.
    testTimeout: 240_000,
    // The default of one second is not always enough when data is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Most of the time is spent waiting: for servers that start or are killed, and for dead processes to be noticed.
    maxWorkers: 3,
    // The sources are loaded once for all files. Each file has its own servers.
    isolate: false,
  },
});
