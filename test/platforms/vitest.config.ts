import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Tests the packed package in real frameworks, which `npm ci --prefix test/platforms` installs. They are too heavy for `npm
 * test`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/platforms/**/*.test.ts'],
    globalSetup: ['test/platforms/setup.ts'],
    // A framework has to compile before its first answer.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
