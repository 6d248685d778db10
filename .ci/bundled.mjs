/** Which files of other packages a build takes in: noted by each run of esbuild, read by whoever lists their licences. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../.bundled', import.meta.url));

/** A plugin of esbuild. */
export const noteBundled = {
  name: 'note-bundled',
  setup(build) {
    build.initialOptions.metafile = true;
    const { format, entryPoints } = build.initialOptions;
    const note = join(folder, `${Object.keys(entryPoints).join('+').replaceAll('/', '-')}.${format}.json`);
    build.onEnd(({ metafile }) => {
      if (metafile === undefined) return;
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
      mkdirSync(folder, { recursive: true });
      writeFileSync(note, JSON.stringify(inputs.filter((path) => path.includes('node_modules/'))));
    });
  },
};

/** The paths of those files, below the root of the package. */
export const bundledFiles = () =>
  readdirSync(folder).flatMap((note) => JSON.parse(readFileSync(join(folder, note), 'utf8')));
