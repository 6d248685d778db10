import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The packed package in fresh folders, as a newcomer meets it in the first minutes; too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/newcomer/**/*.test.ts'],
    globalSetup: ['test/newcomer/setup.ts'],
    // Each test installs packages and starts programs. `run` and `node` end those that hang.
    testTimeout: 310_000,
    hookTimeout: 310_000,
    maxWorkers: 2,
  },
});
