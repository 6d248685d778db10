import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The built service as it is run, real clients before it and real receivers behind; too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 240_000,
    // A second, which it is otherwise, is not always enough where something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Most of the time is spent waiting: for what processes that were killed had in flight, and for retries.
    maxWorkers: 3,
  },
});
