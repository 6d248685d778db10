import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests the packed package in fresh folders, as a newcomer uses it in the first minutes. They are too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/newcomer/**/*.test.ts'],
    globalSetup: ['test/newcomer/setup.ts', 'test/support/run-folder.ts'],
    // Each test installs packages and starts programs. `run` and `node` end those that hang.
    testTimeout: 310_000,
    hookTimeout: 310_000,
    maxWorkers: 2,
  },
});
