import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Packs the package and uses it from outside, which is too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/project.ts'],
    // Each test starts another program, some of them a compiler. run.ts ends those that hang.
    testTimeout: 310_000,
    maxConcurrency: 2,
  },
});
