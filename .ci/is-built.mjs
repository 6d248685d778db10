/**
 * Ends with code 0 if `dist` is newer than everything it is built from, so that `npm test` does not build it again; with `demo`, if
 * it has what `npm start` runs, which is built without the rest.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['src', '.ci', 'tsup.config.ts', 'package.json', 'package-lock.json'];
/** What the last step of each build writes: the page for the demo, the types for everything. */
const LAST = join(root, 'dist', process.argv[2] === 'demo' ? 'debugger.html.br' : 'index.d.ts');

/** When a file, or anything in a folder, last changed. A folder changes itself when a file in it goes. */
function changedAt(path) {
  const stats = statSync(path);
  const inside = stats.isDirectory() ? readdirSync(path).map((name) => changedAt(join(path, name))) : [];
  return Math.max(stats.mtimeMs, ...inside);
}

const isBuilt = existsSync(LAST) && SOURCES.every((path) => changedAt(join(root, path)) < statSync(LAST).mtimeMs);
process.exitCode = isBuilt ? 0 : 1;
