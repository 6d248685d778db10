import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
// Node reads some variables when a process starts, so they must be removed before the first worker starts.
import './support/clean-environment.js';

/** These folders have configurations of their own, because they need another program or a build. */
const ELSEWHERE = ['package', 'browser', 'redis', 'e2e', 'newcomer', 'platforms', 'conformance'].map(
  (folder) => `test/${folder}/**`,
);

/**
 * These files need a process of their own: they count what keeps the process alive, listen for one-time warnings, reload or replace
 * modules, replace globals or fill the heap. All others share four processes, because loading the sources for each file takes longer than
 * most tests. Files of their own run first, so `process-end` and `process-signals` are among them: they wait for half a minute, beside
 * files that compute, and start many programs, which takes less time from a small process.
 */
const APART = [
  'test/client/analytics.test.ts',
  'test/client/calls/large-input.test.ts',
  'test/client/ending/ending.test.ts',
  'test/client/ending/process-signals.test.ts',
  'test/client/import/stop.test.ts',
  'test/client/journal/faults.test.ts',
  'test/client/journal/journal.test.ts',
  'test/client/journal/process-end.test.ts',
  'test/client/platform/web.test.ts',
  'test/client/queue/batcher.test.ts',
  'test/client/queue/pacer.test.ts',
  'test/client/report/reporter.test.ts',
  'test/collector/strangers.test.ts',
  'test/fetch/page-end.test.ts',
  'test/middleware/middleware.test.ts',
  'test/middleware/request-fields.test.ts',
  'test/protocol/field-kinds.test.ts',
  'test/webhooks/docs.test.ts',
  'test/webhooks/frameworks.test.ts',
];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    typecheck: { enabled: false },
    // Two workers per core on two cores, because a test waits for a disk, a timer or another process for a third of its time.
    // Each additional worker loads the sources again, which takes five seconds of CPU.
    maxWorkers: 4,
    // A tenth of a worker's time is spent on collecting garbage, and less if more of it is collected at a time.
    execArgv: ['--max-semi-space-size=32'],
    // These limits end tests that hang. No test measures time with them, so they are long enough for a slow and busy machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...ELSEWHERE, ...APART], isolate: false },
      },
      { extends: true, test: { name: 'apart', include: APART } },
    ],
  },
});
