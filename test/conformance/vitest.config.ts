import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Public conformance data, which is not part of the repository. `CONFORMANCE_DATA` names its folder. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    include: ['test/conformance/**/*.test.ts'],
    testTimeout: 60_000,
  },
});
