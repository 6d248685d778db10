import { defineConfig } from 'tsup';

/** One entry for each door of the package; package.json's `exports` lists the same. */
const doors = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
};

export default defineConfig({
  entry: doors,
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  splitting: false,
  sourcemap: true,
  treeshake: false,
  removeNodeProtocol: false,
  // Bundled, so that the CommonJS build works and a user installs one package beside ours.
  noExternal: ['p-retry', 'zod'],
  dts: {
    compilerOptions: { ignoreDeprecations: '6.0' },
    // `await using` needs Symbol.asyncDispose, which not every project's `lib` names.
    banner: '/// <reference lib="esnext.disposable" />',
  },
});
