import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Separate from the other tests, because these need Chromium: `npx vitest run --config test/browser/vitest.config.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    include: ['test/browser/**/*.browser.ts'],
    testTimeout: 120_000,
    // The default of one second is not always enough if something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // The page is built and the sources are loaded once for all files, because a test changes only its own context in Chromium.
    isolate: false,
    maxWorkers: 2,
  },
});
