import { isBuiltin } from 'node:module';
import { build } from 'esbuild';

interface Loaded {
  /** The files of the repository, by their paths below its root, without those of other packages. */
  readonly files: readonly string[];
  /** The packages whose code is bundled. */
  readonly packages: readonly string[];
  /** The modules that are still imported: those of Node. */
  readonly builtins: readonly string[];
}

/** Returns what a program that imports this entry point loads, after the build has left out what it does not use. */
export async function loadedBy(entry: string): Promise<Loaded> {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: new URL('../..', import.meta.url).pathname,
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const outputs = Object.values(metafile.outputs);
  const inputs = outputs.flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const builtins = outputs.flatMap(({ imports }) => imports.map(({ path }) => path).filter(isBuiltin));
  return {
    files: inputs.filter((path) => !path.includes('node_modules/')),
    packages: [...new Set(packages)].sort(),
    builtins: [...new Set(builtins)].sort(),
  };
}
