import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/**', 'test/browser/**'],
    typecheck: { enabled: false },
    coverage: { provider: 'v8', include: ['src/**'] },
  },
});
