import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/package/**',
      'test/browser/**',
      'test/redis/**',
      'test/e2e/**',
      'test/newcomer/**',
      'test/platforms/**',
    ],
    typecheck: { enabled: false },
    // One less than there are cores, which it is otherwise, leaves a machine with two idle for half of the time.
    maxWorkers: 2,
    // For those that start another program, on a machine that has much else to do. Properties may be asked for more runs.
    testTimeout: process.env['PROPERTY_RUNS'] === undefined ? 30_000 : 180_000,
    // A second, which it is otherwise, is not always enough where something is written to a disk.
    expect: { poll: { timeout: 20_000 } },
    coverage: { provider: 'v8', include: ['src/**'] },
  },
});
