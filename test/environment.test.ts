import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { createAuthority } from './support/certificates.js';
import { cleanEnvironment } from './support/clean-environment.js';
import { needs } from './support/command-exists.js';
import { run } from './support/script.js';

const root = import.meta.dirname;

test('variables that the shell sets for other programs are removed, and those that tests need stay', () => {
  const kept = { PATH: '/bin', HOME: '/root', TMPDIR: '/tmp', PROPERTY_RUNS: '9', VITEST: 'true', NODE_ENV: 'test' };
  const set = [
    'FORCE_COLOR',
    'NO_COLOR',
    'HTTP_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'no_proxy',
    'NODE_OPTIONS',
    'DEBUG',
  ];
  const more = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_ENV_PROXY', 'GIT_DIR', 'OTEL_SDK_DISABLED', 'EVENTFERRY_ENDPOINT'];
  const environment = { ...kept, ...Object.fromEntries([...set, ...more].map((name) => [name, '1'])) };
  cleanEnvironment(environment);
  expect(environment).toEqual(kept);
});

test('a program started by a test inherits none of these variables', async () => {
  const { stdout } = await run('console.log(JSON.stringify(process.env))').ended;
  const inherited = JSON.parse(stdout);
  const left = { ...inherited };
  cleanEnvironment(left);
  // The helper sets this variable itself.
  expect({ ...left, DEBUG: '' }).toEqual(inherited);
});

test('every test configuration cleans the environment', () => {
  const configurations = ['', ...readdirSync(root)]
    .map((folder) => join(root, folder, 'vitest.config.ts'))
    .filter((file) => existsSync(file));
  expect(configurations.length).toBeGreaterThan(5);
  const careless = configurations.filter(
    (file) => !readFileSync(file, 'utf8').includes("setupFiles: ['test/support/clean-environment.ts']"),
  );
  expect(careless).toEqual([]);
});

/** Programs that may be missing on a machine that only has Node. A test may start them if they exist. */
const COMMANDS = ['bash', 'fish', 'git', 'openssl', 'prlimit', 'unshare', 'zsh'];

test('every test that starts a program other than Node declares what it needs', () => {
  const starts = new RegExp(`(?:spawn|spawnSync|execFile|execFileSync|runUnder)\\(\\s*'(${COMMANDS.join('|')})'`, 'g');
  const elsewhere = /^(?:browser|e2e|newcomer|package|platforms|redis)\//;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !elsewhere.test(file),
  );
  const silent = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(starts)].some(
      ([, command]) => !text.includes(`needs(context, '${command}'`) && !text.includes('skipIf(!has'),
    );
  });
  expect(silent).toEqual([]);
});

test('a test is skipped with a reason, and only if a program is missing', () => {
  const reasons: (string | undefined)[] = [];
  const context = { skip: (reason?: string) => void reasons.push(reason) } as never;
  needs(context, 'node');
  expect(reasons).toEqual([]);
  needs(context, 'node', 'no-such-program');
  expect(reasons).toEqual(['there is no no-such-program here']);
});

test('certificates come from a library: one is self-signed, another is signed by it, and each names its host', () => {
  const authority = createAuthority();
  const [own, signed] = [authority, authority.sign('IP:127.0.0.1')].map(({ cert }) => new X509Certificate(cert));
  expect([own?.ca, signed?.ca]).toEqual([true, false]);
  expect([own?.verify(own.publicKey), own && signed?.verify(own.publicKey)]).toEqual([true, true]);
  expect([signed?.checkIP('127.0.0.1'), signed?.checkIP('127.0.0.2')]).toEqual(['127.0.0.1', undefined]);
  expect(authority.sign('DNS:collector.test').file).toMatch(/\.crt$/);
  expect(Object.keys(manifest.devDependencies)).toContain('node-forge');
});
