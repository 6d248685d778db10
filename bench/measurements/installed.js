// What `npm install` brings: packages and bytes, dependencies included. Read from disk, without the registry.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { count, fixed } from '../report.js';
import { atMost } from '../targets.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BENCH = join(ROOT, 'bench');
const PEERS = [
  '@segment/analytics-node',
  'posthog-node',
  '@rudderstack/rudder-sdk-node',
  'analytics-node',
  'mixpanel',
  '@snowplow/node-tracker',
];

export const title = 'Installed';
export const note = 'packages and megabytes on disk, dependencies included';

export async function measure() {
  const own = ownPackage();
  const peers = PEERS.map((name) => ({ name, ...sizeOf(closureOf(name, BENCH)) }));
  const head = ['', 'packages', 'MB'];
  const body = [own, ...peers].map(({ name, packages, bytes }) => [name, count(packages), fixed(bytes / 1e6)]);
  // A test of the packed package bounds the size.
  return { tables: [{ head, body }], targets: [atMost('installed packages', 2, own.packages, 'packages')] };
}

/** What would be published, and what it depends on. */
function ownPackage() {
  const [{ unpackedSize }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const { name, dependencies = {} } = manifestOf(ROOT);
  const folders = new Set();
  for (const dependency of Object.keys(dependencies)) closureOf(dependency, ROOT, folders);
  const { packages, bytes } = sizeOf(folders);
  return { name, packages: packages + 1, bytes: bytes + unpackedSize };
}

/** The folders of a package and of all it depends on, found as Node finds them. */
function closureOf(name, from, folders = new Set()) {
  const folder = resolveFrom(name, from);
  if (folder === undefined || folders.has(folder)) return folders;
  folders.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
    closureOf(dependency, folder, folders);
  }
  return folders;
}

function resolveFrom(name, from) {
  for (let folder = from; folder !== join(folder, '..'); folder = join(folder, '..')) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function sizeOf(folders) {
  let bytes = 0;
  for (const folder of folders) bytes += bytesIn(folder);
  return { packages: folders.size, bytes };
}

/** A package's own files: what is nested in its node_modules is a package of its own. */
function bytesIn(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) bytes += statSync(path).size;
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path);
  }
  return bytes;
}
