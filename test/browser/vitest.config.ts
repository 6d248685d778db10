import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Apart from the other tests, as these need a Chromium: `npx vitest run --config test/browser/vitest.config.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/browser/**/*.browser.ts'],
    testTimeout: 120_000,
    // A second, which it is otherwise, is not always enough where something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // The page is built, and the sources are loaded, once for all files: what a test changes is in a context of its own in Chromium.
    isolate: false,
    maxWorkers: 2,
  },
});
