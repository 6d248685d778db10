import { isBuiltin } from 'node:module';
import { build } from 'esbuild';

interface Loaded {
  /** Files below the root of the repository, without those of other packages. */
  readonly files: readonly string[];
  /** The packages whose code is bundled. */
  readonly packages: readonly string[];
  /** What is still imported: modules of Node. */
  readonly builtins: readonly string[];
}

/** What a program that imports a door loads, after the build has left out what the door does not use. */
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
