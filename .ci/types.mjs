/**
 * The types that the build wrote take no more room than they need. They are indented by two spaces, as the source is: by four they take
 * 4 % more. And they are there once, as those of CommonJS, which an ES module may export again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const types = door.import?.types ?? door.types;
  if (types !== undefined) writeFileSync(join(root, types), `export * from './${basename(types, '.d.ts')}.cjs';\n`);
}
