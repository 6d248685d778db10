import { defineConfig, type Options } from 'tsup';
import { noteBundled } from './.ci/bundled.mjs';
import { calledParts, createRequire, minifyOthers, withoutComments } from './.ci/published-code.js';
import { writePage } from './src/cli/page/build.js';
import { writeConfigSchema } from './src/service/config/build.js';

/** The doors that start in no time or run where there is no Node: each a file of its own. */
const small = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
  service: 'src/service/index.ts',
};

/** Those whose code the command has as well: as ES modules they share it. */
const large = {
  collector: 'src/collector/index.ts',
  destination: 'src/destination/index.ts',
};

/** One entry for each door of the package; package.json's `exports` lists the same. */
const doors = { ...small, ...large };

const shared = {
  target: 'node20',
  platform: 'node',
  splitting: false,
  esbuildPlugins: [noteBundled, withoutComments, calledParts],
  plugins: [minifyOthers],
  treeshake: false,
  removeNodeProtocol: false,
  // Whoever installs the package for its client installs nothing for the rest. lmdb is native, and it and what Redis
  // needs stay optional.
  noExternal: [/^(?!(undici|lmdb|bullmq|ioredis)(\/|$))/],
} satisfies Options;

const modules = { ...shared, format: ['esm'] } satisfies Options;

export default defineConfig([
  { ...modules, entry: small },
  {
    ...modules,
    // One file to start the command with, and one more for each of its commands, loaded when it is called.
    entry: { ...large, cli: 'src/cli/main.ts' },
    splitting: true,
    plugins: [minifyOthers, createRequire],
    esbuildOptions: (options) => {
      options.chunkNames = 'chunks/[name]-[hash]';
    },
    onSuccess: async () => {
      await writePage('dist/debugger.html');
      await writeConfigSchema('dist/config.schema.json');
    },
  },
  {
    ...shared,
    entry: doors,
    format: ['cjs'],
    esbuildOptions: (options) => {
      // `import()` is refused where a script runs in a context of its own, as Jest's tests do. `require` is there.
      options.supported = { 'dynamic-import': false };
    },
  },
  {
    entry: doors,
    format: ['esm', 'cjs'],
    dts: {
      only: true,
      compilerOptions: { ignoreDeprecations: '6.0' },
      // `await using` needs Symbol.asyncDispose, which not every project's `lib` names.
      banner: '/// <reference lib="esnext.disposable" />',
    },
  },
]);
