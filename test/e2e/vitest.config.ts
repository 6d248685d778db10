import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests of the built service with real clients and real receivers. They are too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 240_000,
    // The default of one second is not always enough if something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Most of the time is spent waiting: for requests of killed processes, and for retries.
    maxWorkers: 3,
  },
});
