import { writeFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Options } from 'tsup';
import { noteBundled } from './.ci/bundled.mjs';
import { openApiDocument } from './.ci/openapi.js';
import {
  calledParts,
  clientByItsFile,
  clientInOneChunk,
  createRequire,
  emojiOfNode,
  minifyOthers,
  onTheWeb,
  webClientInOneChunk,
  withoutComments,
} from './.ci/published-code.js';
import { writePage } from './src/dashboard/page/build.js';
import { planJsonSchema } from './src/plan/json-schema.js';
import { configJsonSchema } from './src/service/config/json-schema.js';

/** The doors that a CommonJS program needs, and those that run where there is no Node: built in both formats. */
const both = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
  middleware: 'src/middleware/index.ts',
  testing: 'src/testing/index.ts',
  events: 'src/events/index.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
};

/** The client where there is no Node. */
const web = { fetch: 'src/fetch/index.ts' };

/** ES modules alone. */
const modulesOnly = {
  collector: 'src/collector/index.ts',
  destination: 'src/destination/index.ts',
  service: 'src/service/index.ts',
  admin: 'src/admin/index.ts',
};

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

const commonJs = {
  ...shared,
  format: ['cjs'],
  esbuildOptions: (options) => {
    // `import()` is refused where a script runs in a context of its own, as Jest's tests do. `require` is there.
    options.supported = { 'dynamic-import': false };
    options.define = { ...options.define, 'import.meta.url': '__filename' };
  },
} satisfies Options;

// Who names the user in a request, or captures messages in a test, has loaded the client.
const { index, middleware, testing, ...small } = both;
const { admin, ...large } = modulesOnly;

const dts = {
  only: true,
  compilerOptions: { ignoreDeprecations: '6.0' },
  // `await using` needs Symbol.asyncDispose, which not every project's `lib` names.
  banner: '/// <reference lib="esnext.disposable" />',
};

export default defineConfig([
  { ...modules, entry: { ...small, admin } },
  {
    ...modules,
    entry: { index, middleware, testing, ...large, cli: 'src/cli/main.ts' },
    splitting: true,
    esbuildPlugins: [clientInOneChunk, emojiOfNode, ...shared.esbuildPlugins],
    plugins: [minifyOthers, createRequire],
    esbuildOptions: (options) => {
      options.chunkNames = 'chunks/[name]-[hash]';
      options.alias = { yaml: new URL('node_modules/yaml/browser/dist/index.js', import.meta.url).pathname };
    },
    onSuccess: async () => {
      await writePage('dist/debugger.html.br', '.', [noteBundled]);
      await writeFile('dist/config.schema.json', `${JSON.stringify(configJsonSchema())}\n`);
      await writeFile('dist/plan.schema.json', `${JSON.stringify(planJsonSchema())}\n`);
      await writeFile('dist/openapi.json.br', brotliCompressSync(JSON.stringify(openApiDocument())));
    },
  },
  { ...commonJs, entry: { index, middleware, ...small } },
  { ...commonJs, entry: { testing }, esbuildPlugins: [clientByItsFile, ...shared.esbuildPlugins] },
  // Loaded by clients with a journal alone, at once and by either build.
  { ...shared, entry: { journal: 'src/client/journal/journal.ts' }, format: ['cjs'] },
  {
    entry: web,
    format: ['esm'],
    target: 'es2022',
    platform: 'neutral',
    noExternal: [/./],
    minify: true,
    splitting: true,
    esbuildPlugins: [webClientInOneChunk, onTheWeb, noteBundled],
    esbuildOptions: (options) => {
      options.chunkNames = 'chunks/fetch-[hash]';
      options.mainFields = ['module', 'main'];
    },
  },
  { entry: { ...both, ...modulesOnly, ...web }, format: ['esm'], dts },
  { entry: both, format: ['cjs'], dts },
]);
