import { writeFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Options } from 'tsup';
import { noteBundled } from './.ci/bundled.mjs';
import {
  builtinsOfNode,
  calledParts,
  clientByItsFile,
  clientInOneChunk,
  emojiOfNode,
  metricsWithoutSpans,
  minifyOthers,
  onTheWeb,
  ownMembersOfZod,
  webClientInOneChunk,
  webPlatform,
  withoutBareImports,
  withoutComments,
} from './.ci/published-code.js';
import { writePage } from './src/dashboard/page/build.js';

/** The doors that a CommonJS program needs, and those that run where there is no Node: built in both formats. */
const both = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  'webhooks/testing': 'src/webhooks/testing/index.ts',
  middleware: 'src/middleware/index.ts',
  testing: 'src/testing/index.ts',
  events: 'src/events/index.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
  undici: 'src/undici/index.ts',
};

/** The client where there is no Node. */
const web = { fetch: 'src/fetch/index.ts' };

/** Runs with and without Node. It shares nothing with the web client, so that a page which sends events loads no schema. */
const schemas = { schemas: 'src/schemas/index.ts' };

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
  esbuildPlugins: [noteBundled, withoutComments, calledParts, ownMembersOfZod],
  plugins: [minifyOthers],
  treeshake: false,
  removeNodeProtocol: false,
  // Whoever installs the package for its client installs nothing for the rest. lmdb is native, and it and what Redis
  // needs stay optional.
  noExternal: [/^(?!(undici|lmdb|ioredis)(\/|$))/],
} satisfies Options;

const modules = { ...shared, format: ['esm'] } satisfies Options;

const commonJs = {
  ...shared,
  format: ['cjs'],
  esbuildOptions: (options) => {
    // `import()` is refused where a script runs in a context of its own, as Jest's tests do. `require` is there.
    options.supported = { 'dynamic-import': false };
  },
} satisfies Options;

// Who captures messages in a test has loaded the client.
const { index, testing, ...small } = both;
const { admin, ...large } = modulesOnly;

const dts = {
  only: true,
  compilerOptions: { ignoreDeprecations: '6.0' },
  // `await using` needs Symbol.asyncDispose, which not every project's `lib` names. Without an export, the types of a door that
  // is imported for its effect alone would be no module.
  banner: '/// <reference lib="esnext.disposable" />\nexport {};',
};

/** What one loads of the other is there once. */
const inChunks = {
  ...modules,
  splitting: true,
  esbuildPlugins: [clientInOneChunk, builtinsOfNode, emojiOfNode, metricsWithoutSpans, ...shared.esbuildPlugins],
  plugins: [minifyOthers, withoutBareImports],
  esbuildOptions: (options) => {
    options.chunkNames = 'chunks/[name]-[hash]';
    options.alias = { yaml: new URL('node_modules/yaml/browser/dist/index.js', import.meta.url).pathname };
  },
} satisfies Options;

const writeDebuggerPage = () => writePage('dist/debugger.html.br', '.', [noteBundled]);

/** What `eventferry demo` runs, and no more: without types, which take most of a build. */
const demo: Options[] = [
  // Nobody installs this, so its code stays as long as it is, which takes a quarter of the time.
  {
    ...inChunks,
    entry: { index, cli: 'src/cli/main.ts' },
    esbuildPlugins: inChunks.esbuildPlugins.filter((plugin) => plugin !== withoutComments),
    plugins: [withoutBareImports],
    onSuccess: writeDebuggerPage,
  },
];

const everything: Options[] = [
  { ...modules, entry: { ...small, admin } },
  {
    ...inChunks,
    entry: { index, testing, ...large, cli: 'src/cli/main.ts' },
    onSuccess: async () => {
      // The compiler of TypeScript comes with the last of them.
      const [{ planJsonSchema }, { configJsonSchema }, { openApiDocument }] = await Promise.all([
        import('./src/plan/plan-json-schema.js'),
        import('./src/service/config/config-json-schema.js'),
        import('./.ci/openapi.js'),
      ]);
      await writeDebuggerPage();
      await writeFile('dist/config.schema.json', `${JSON.stringify(configJsonSchema())}\n`);
      await writeFile('dist/plan.schema.json', `${JSON.stringify(planJsonSchema())}\n`);
      await writeFile('dist/openapi.json.br', brotliCompressSync(JSON.stringify(openApiDocument())));
    },
  },
  { ...commonJs, entry: { index, ...small } },
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
    plugins: [withoutBareImports],
    esbuildOptions: (options) => {
      options.chunkNames = 'chunks/fetch-[hash]';
      options.mainFields = ['module', 'main'];
    },
  },
  {
    ...modules,
    entry: schemas,
    platform: 'neutral',
    noExternal: [/./],
    esbuildPlugins: [webPlatform, ...shared.esbuildPlugins],
    esbuildOptions: (options) => {
      options.mainFields = ['module', 'main'];
    },
  },
  // The types of ES modules stand on these: `.ci/types.mjs`.
  { entry: { ...both, ...modulesOnly, ...web, ...schemas }, format: ['cjs'], dts },
];

// `tsup --env.ONLY demo`, which `npm start` runs.
export default defineConfig(({ env }) => (env?.['ONLY'] === 'demo' ? demo : everything));
