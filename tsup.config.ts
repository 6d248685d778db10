import { defineConfig, type Options } from 'tsup';
import { writePage } from './src/cli/page/build.js';

/** One entry for each door of the package, and the collector below; package.json's `exports` lists the same. */
const doors = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
  destination: 'src/destination/index.ts',
};

const shared = {
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  splitting: false,
  sourcemap: true,
  esbuildOptions: (options) => {
    // The package holds `src` too, and the maps point there.
    options.sourcesContent = false;
  },
  treeshake: false,
  removeNodeProtocol: false,
  // Bundled, so that the CommonJS build works and a user installs one package beside ours.
  noExternal: ['p-retry', 'zod', 'hono', '@hono/node-server', 'prom-client'],
  dts: {
    compilerOptions: { ignoreDeprecations: '6.0' },
    // `await using` needs Symbol.asyncDispose, which not every project's `lib` names.
    banner: '/// <reference lib="esnext.disposable" />',
  },
} satisfies Options;

/** The command: one file to start, and one more for each of its commands, loaded when it is called. */
const command = {
  ...shared,
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  splitting: true,
  sourcemap: false,
  dts: false,
  // Whoever installs the package for its client installs nothing for the command. lmdb is native and stays optional.
  noExternal: [/^(?!(undici|lmdb)(\/|$))/],
  // Some of what is bundled is CommonJS and asks for node's modules with `require`, which an ES module does not have.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  esbuildOptions: (options) => {
    options.chunkNames = 'cli/[name]-[hash]';
  },
  onSuccess: () => writePage('dist/cli/debugger.html'),
} satisfies Options;

export default defineConfig([
  { ...shared, entry: doors },
  {
    ...shared,
    entry: { collector: 'src/collector/index.ts' },
    // prom-client is CommonJS and asks for node's modules with `require`, which an ES module does not have.
    banner: ({ format }) =>
      format === 'esm'
        ? { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" }
        : {},
  },
  command,
]);
