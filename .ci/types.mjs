/**
 * What the types that the build wrote take no more room for. They are indented by two spaces, as the source is: by four they take 4 %
 * more. And they are there once: what CommonJS reads of a door, its ES module exports again.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

for (const name of readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.d.cts'))) {
  const file = join(dist, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2)),
  );
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const door of Object.values(exports)) {
  if (door.import?.types === undefined && door.types === undefined) continue;
  const module = join(root, door.import?.types ?? door.types);
  const commonJs = module.replace(/\.d\.ts$/, '.d.cts');
  if (door.require === undefined) renameSync(commonJs, module);
  else writeFileSync(module, `export * from './${basename(commonJs, '.d.cts')}.cjs';\n`);
}
