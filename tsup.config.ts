import type { Plugin } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { noteBundled } from './.ci/bundled.mjs';
import { writePage } from './src/cli/page/build.js';
import { writeConfigSchema } from './src/service/config/build.js';

/** One entry for each door of the package, and the collector below; package.json's `exports` lists the same. */
const doors = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
  destination: 'src/destination/index.ts',
  service: 'src/service/index.ts',
};

/**
 * prom-client asks for OpenTelemetry's API as it is loaded, and uses it for exemplars, which we do not have. Whoever else
 * asks gets the copy that the user has, if there is one.
 */
const metricsWithoutTraces: Plugin = {
  name: 'metrics-without-traces',
  setup(build) {
    build.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path, importer }) =>
      importer.includes('prom-client') ? { path, namespace: 'nothing' } : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: '' }));
  },
};

const shared = {
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  splitting: false,
  esbuildPlugins: [noteBundled, metricsWithoutTraces],
  esbuildOptions: (options) => {
    // Smaller, and a stack trace still has the names of the source.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
  treeshake: false,
  removeNodeProtocol: false,
  // Bundled, so that the CommonJS build works and a user installs one package beside ours.
  noExternal: ['p-retry', 'zod', 'hono', '@hono/node-server', 'prom-client', '@opentelemetry/api'],
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
  minify: true,
  dts: false,
  // Whoever installs the package for its client installs nothing for the command. lmdb is native, and it and what Redis
  // needs stay optional.
  noExternal: [/^(?!(undici|lmdb|bullmq|ioredis)(\/|$))/],
  // Some of what is bundled is CommonJS and asks for node's modules with `require`, which an ES module does not have.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  esbuildOptions: (options) => {
    options.chunkNames = 'cli/[name]-[hash]';
  },
  onSuccess: async () => {
    await writePage('dist/cli/debugger.html');
    await writeConfigSchema('dist/config.schema.json');
  },
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
