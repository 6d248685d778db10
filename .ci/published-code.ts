/** What becomes of the code in `dist`: ours keeps its lines and the names of a stack trace, that of other packages takes few bytes. */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, type TransformOptions, transform } from 'esbuild';
import type { Options } from 'tsup';
import ts from 'typescript';
import { INTERNAL_NAMES } from './internal-names.js';

type ChunkPlugin = NonNullable<Options['plugins']>[number];

/** A plugin of esbuild: our comments stay in the source and in the types. esbuild would keep those inside classes. */
export const withoutComments: Plugin = {
  name: 'without-comments',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          target: ts.ScriptTarget.ESNext,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          removeComments: true,
        },
      });
      return { contents: withPureCalls(outputText, source) };
    });
  },
};

const PURE_CALL = /\/\* @__PURE__ \*\/ ([\w.]+\()/g;

/** Puts back the one comment that a bundler reads: what it leaves out where its result is not used. */
const withPureCalls = (output: string, source: string): string =>
  [...source.matchAll(PURE_CALL)].reduce((text, [marked, call = '']) => text.replace(call, marked), output);

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
 * A plugin of esbuild: the library of metrics asks OpenTelemetry for the span of an exemplar, and ours have no exemplars. All of
 * OpenTelemetry's API would come with it.
 */
export const metricsWithoutSpans: Plugin = {
  name: 'metrics-without-spans',
  setup(build) {
    build.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path, importer }) =>
      importer.includes('/prom-client/') ? { path, namespace: 'metrics-without-spans' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'metrics-without-spans' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** A plugin of esbuild: zod would read what a program has put on `Object.prototype` as one of its own methods, and as a key of every object. */
export const ownMembersOfZod: Plugin = {
  name: 'own-members-of-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:util|schemas)\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(/for \(const (\w+) in (\w+)\)/g, 'for (const $1 of Object.keys($2))');
      if (contents === source) throw new Error(`${path} has no loop over inherited keys any more`);
      return { contents };
    });
  },
};

/**
 * A plugin of esbuild: CommonJS that is bundled into an ES module asks Node itself for Node's modules. An ES module has no `require`,
 * and one that makes it, with `import.meta`, cannot be bundled as CommonJS.
 */
export const builtinsOfNode: Plugin = {
  name: 'builtins-of-node',
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, 'require.main': 'undefined' };
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtins-of-node' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtins-of-node' }, ({ path }) => {
      const name = JSON.stringify(`node:${path.replace(/^node:/, '')}`);
      return { contents: `module.exports = process.getBuiltinModule(${name});` };
    });
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
  const root = fileURLToPath(new URL('..', import.meta.url));
  const client = join(root, 'src', door);
  return {
    name: 'client-in-one-chunk',
    setup(build) {
      build.onResolve({ filter: /^\.|^src\// }, async ({ path, kind, ...from }) => {
        if (from.pluginData === client || (kind !== 'entry-point' && kind !== 'dynamic-import')) return undefined;
        const resolved = await build.resolve(path, { kind, ...from, pluginData: client });
        // The name of a chunk comes from what is in it and from such paths, and must be the same in every folder.
        const inside = relative(root, resolved.path).replaceAll('\\', '/');
        return resolved.path === client ? resolved : { path: inside, namespace: 'with-client' };
      });
      // That of the command has nothing but effects.
      build.onResolve({ filter: /./, namespace: 'with-client' }, ({ path }) => ({ path, sideEffects: true }));
      build.onLoad({ filter: /./, namespace: 'with-client' }, async ({ path: inside }) => {
        const path = join(root, inside);
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

/** A plugin of esbuild: the parts that need a platform are those of the web. */
export const webPlatform: Plugin = {
  name: 'web-platform',
  setup(build) {
    build.onResolve({ filter: /\/platform\/node\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/node\.js$/, 'web.ts')),
      sideEffects: false,
    }));
  },
};

/** A plugin of esbuild for what runs without Node: `web.ts` stands in for each `platform/node.ts`, and our own names are short. */
export const onTheWeb: Plugin = {
  name: 'on-the-web',
  setup(build) {
    void webPlatform.setup(build);
    build.initialOptions.mangleProps = INTERNAL_NAMES;
    // A field that the constructor sets needs no line then. esbuild takes one of the two.
    delete build.initialOptions.tsconfig;
    build.initialOptions.tsconfigRaw = {
      compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true },
    };
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
const ORIGIN = /^(?=\/\/ (?:src\/|node_modules\/|called-parts:|not-called:|builtins-of-node:))/m;

/** A stack trace names functions, classes and methods, which keep their names. Variables are a seventh of our code. */
const OURS: TransformOptions = { minifyIdentifiers: true };
const OTHERS: TransformOptions = { minify: true, lineLimit: 200 };

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
      // A program may have put something enumerable on `Object.prototype`, which is no getter of an export.
      .replaceAll('for (var name in all)', 'for (var name of Object.keys(all))')
      .split(ORIGIN)
      .map((part) =>
        part.startsWith('// node_modules/') ? minify(part, OTHERS) : minify(part, OURS).then(withoutSpaces),
      );
    return { code: (await Promise.all(parts)).join('\n') };
  },
};

/**
 * The same lines and text, in a tenth less room: no indentation, no empty line, no comment of esbuild's own, and a space only
 * where two words would become one.
 */
function withoutSpaces(part: string): string {
  const code = part.replace(/^\/\/ .*\n/, '');
  const source = ts.createSourceFile('part.js', code, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const pieces: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    const start = node.getStart(source);
    if (children.length > 0 || (start === node.end && node.kind !== ts.SyntaxKind.EndOfFileToken)) return;
    pieces.push(gapOf(code.slice(end, start), code[end - 1] ?? '', code[start] ?? ''), code.slice(start, node.end));
    end = node.end;
  };
  visit(source);
  return pieces.join('').trimStart();
}

const WORD = /[\w$#\\\u0080-\uffff]/;

/** Pairs that two tokens make another token of. */
const JOINED = /^(\+\+|--|\/[/*]|<!|\?\.|\d\.)$/;

/** What remains between two tokens. A line break may end a statement, so one stays where there was one. */
function gapOf(gap: string, before: string, after: string): string {
  if (gap.trim() !== '') return gap.replace(/^[^\S\n]+/gm, '').replace(/\n{2,}/g, '\n');
  if (gap.includes('\n')) return '\n';
  if (gap === '') return '';
  return (WORD.test(before) && WORD.test(after)) || JOINED.test(before + after) ? ' ' : '';
}

/**
 * What other parts of the file know by its name keeps it: esbuild renames what stands at the top of a module only, so what
 * makes it one is left out and put back.
 */
async function minify(part: string, options: TransformOptions): Promise<string> {
  const { statements } = ts.createSourceFile('part.js', part, ts.ScriptTarget.ESNext);
  const textOf = (isKept: boolean): string =>
    statements
      .filter((statement) => (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) === isKept)
      .map(({ pos, end }) => part.slice(pos, end))
      .join('\n');
  const { code } = await transform(textOf(false), { ...options, legalComments: 'none', target: 'node20' });
  return `${textOf(true)}\n${code}`;
}

/**
 * A plugin of tsup: without the imports that name nothing. esbuild writes them for what a module does when it is loaded, which none of
 * ours does but the command, and bundlers warn of each.
 */
export const withoutBareImports: ChunkPlugin = {
  name: 'without-bare-imports',
  renderChunk(code, { path }) {
    if (path.endsWith('/cli.js')) return undefined;
    return { code: code.replace(/(^|;)(?:import ?"\.[^"]*";\n?)+/gm, '$1') };
  },
};
