/** What becomes of the code in `dist`: ours keeps its lines and names, that of other packages takes few bytes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, transform } from 'esbuild';
import type { Options } from 'tsup';
import ts from 'typescript';
import { INTERNAL_NAMES } from './internal-names.js';

type ChunkPlugin = NonNullable<Options['plugins']>[number];

/** A plugin of esbuild: our comments stay in the source and in the types. esbuild would keep those inside classes. */
export const withoutComments: Plugin = {
  name: 'without-comments',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const { outputText } = ts.transpileModule(await readFile(path, 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ESNext,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          removeComments: true,
        },
      });
      return { contents: outputText };
    });
  },
};

/** A plugin of esbuild: Node knows all emoji by itself. The package that lists them for progress bars takes 10 KB. */
export const emojiOfNode: Plugin = {
  name: 'emoji-of-node',
  setup(build) {
    build.onResolve({ filter: /^emoji-regex$/ }, ({ path }) => ({ path, namespace: 'emoji-of-node' }));
    build.onLoad({ filter: /./, namespace: 'emoji-of-node' }, () => ({
      contents: 'module.exports = () => /\\p{RGI_Emoji}/gv;',
    }));
  },
};

/**
 * A plugin of esbuild, which makes a chunk of what the same entry points reach: of a client whose parts are used here and
 * there it would make fifteen, and Node takes longer to find a file than to read one. So all entry points reach all of it,
 * those that are loaded later as well.
 *
 * @param door the file of the client
 */
const inOneChunk = (door: string): Plugin => {
  const client = fileURLToPath(new URL(`../src/${door}`, import.meta.url));
  return {
    name: 'client-in-one-chunk',
    setup(build) {
      build.onResolve({ filter: /^\.|^src\// }, async ({ path, kind, ...from }) => {
        if (from.pluginData === client || (kind !== 'entry-point' && kind !== 'dynamic-import')) return undefined;
        const resolved = await build.resolve(path, { kind, ...from, pluginData: client });
        return resolved.path === client ? resolved : { path: resolved.path, namespace: 'with-client' };
      });
      // That of the command has nothing but effects.
      build.onResolve({ filter: /./, namespace: 'with-client' }, ({ path }) => ({ path, sideEffects: true }));
      build.onLoad({ filter: /./, namespace: 'with-client' }, async ({ path }) => {
        const [hashbang = ''] = /^#!.*\n/.exec(await readFile(path, 'utf8')) ?? [];
        const [all, entry] = [client, path].map((file) => JSON.stringify(file));
        return { contents: `${hashbang}import { Analytics } from ${all};\nexport * from ${entry};`, resolveDir: '.' };
      });
    },
  };
};

export const clientInOneChunk = inOneChunk('index.ts');

/** The same of the client where there is no Node. */
export const webClientInOneChunk = inOneChunk('fetch/index.ts');

/**
 * A plugin of esbuild: CommonJS has no chunks, so what uses the client requires its file. There is one client then, and one class
 * of each error.
 */
export const clientByItsFile: Plugin = {
  name: 'client-by-its-file',
  setup(build) {
    build.onResolve({ filter: /\/(client\/analytics|errors)\.js$/ }, () => ({ path: './index.cjs', external: true }));
  },
};

/** A plugin of esbuild for what runs without Node: `web.ts` stands in for each `platform/node.ts`, and our own names are short. */
export const onTheWeb: Plugin = {
  name: 'on-the-web',
  setup(build) {
    build.initialOptions.mangleProps = INTERNAL_NAMES;
    // A field that the constructor sets needs no line then. esbuild takes one of the two.
    delete build.initialOptions.tsconfig;
    build.initialOptions.tsconfigRaw = {
      compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true },
    };
    build.onResolve({ filter: /\/platform\/node\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/node\.js$/, 'web.ts')),
      sideEffects: false,
    }));
  },
};

/** Of prom-client: the rest would be a third of what the collector weighs. */
const METRICS = ['Counter', 'Gauge', 'Histogram', 'Registry'];

/** Loaded and never called: pino's transports, which are threads, and prom-client's exemplars, which are traces. */
const NOT_CALLED = /^(thread-stream|@opentelemetry\/api)$/;

/** A plugin of esbuild: the parts of other packages that are called, and nothing else. */
export const calledParts: Plugin = {
  name: 'called-parts',
  setup(build) {
    build.onResolve({ filter: /^prom-client$/ }, ({ path }) => ({ path, namespace: 'called-parts' }));
    build.onLoad({ filter: /.*/, namespace: 'called-parts' }, () => ({
      contents: METRICS.map(
        (name) => `export { default as ${name} } from 'prom-client/lib/${name.toLowerCase()}.js';`,
      ).join('\n'),
      resolveDir: '.',
    }));
    build.onResolve({ filter: NOT_CALLED }, ({ path, importer }) =>
      // Our own code gets the copy that the user has, if there is one.
      importer.includes('node_modules') ? { path, namespace: 'not-called' } : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: 'not-called' }, () => ({ contents: '' }));
  },
};

/** Where esbuild says from which file the next lines are. */
const ORIGIN = /^(?=\/\/ (?:src\/|node_modules\/|called-parts:|not-called:))/m;

/**
 * A plugin of tsup. Node prints the line of an uncaught error, so ours stay lines, without what only indents them. Other
 * packages' code is minified, in lines that are short enough to be printed as well.
 */
export const minifyOthers: ChunkPlugin = {
  name: 'minify-others',
  async renderChunk(code) {
    // A bundler leaves out what is not used of an ES module alone.
    const marked = this.format === 'cjs' ? code.replaceAll('/* @__PURE__ */ ', '') : code;
    const parts = marked
      .split(ORIGIN)
      .map((part) => (part.startsWith('// node_modules/') ? minify(part) : withoutIndentation(part)));
    return { code: (await Promise.all(parts)).join('\n') };
  },
};

/**
 * The same lines, names and text, in a twentieth less room: no indentation, no empty line, no comment of esbuild's own. Where a line
 * of a template begins, its spaces are text.
 */
function withoutIndentation(part: string): string {
  const code = part.replace(/^\/\/ .*\n/, '');
  const source = ts.createSourceFile('part.js', code, ts.ScriptTarget.ESNext);
  const inTemplates = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateLiteralToken(node)) {
      const [first, last] = [node.getStart(source), node.end].map(
        (at) => source.getLineAndCharacterOfPosition(at).line,
      );
      for (let line = (first ?? 0) + 1; line <= (last ?? 0); line++) inTemplates.add(line);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return code
    .split('\n')
    .map((line, index) => (inTemplates.has(index) ? line : line.trimStart().replace(/^\/\/.*/, '')))
    .filter((line, index) => line !== '' || inTemplates.has(index))
    .join('\n');
}

/**
 * What other parts of the file know by its name keeps it: esbuild renames what stands at the top of a module only, so what
 * makes it one is left out and put back.
 */
async function minify(part: string): Promise<string> {
  const { statements } = ts.createSourceFile('part.js', part, ts.ScriptTarget.ESNext);
  const textOf = (isKept: boolean): string =>
    statements
      .filter((statement) => (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) === isKept)
      .map(({ pos, end }) => part.slice(pos, end))
      .join('\n');
  const options = { minify: true, lineLimit: 200, legalComments: 'none', target: 'node20' } as const;
  const { code } = await transform(textOf(false), options);
  return `${textOf(true)}\n${code}`;
}

/** A plugin of tsup: bundled CommonJS asks for Node's modules with `require`, which an ES module does not have. */
export const createRequire: ChunkPlugin = {
  name: 'create-require',
  renderChunk(code) {
    if (!code.includes('var __require =')) return undefined;
    const lines = [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
      '',
    ];
    return { code: lines.join('\n') + code };
  },
};
