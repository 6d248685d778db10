import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sink } from './support/sink.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A folder inside the package, so that an example finds the package by its own name. */
let folder: string;

// Compiles like tsx, which would take its time to start in each child.
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'test/examples-'));
  const names = await readdir(join(root, 'examples'), { recursive: true });
  const entryPoints = names.filter((name) => name.endsWith('.ts')).map((name) => join(root, 'examples', name));
  await build({ entryPoints, outdir: folder, format: 'esm', platform: 'node', target: 'node20' });
  for (const name of ['commonjs.cjs', 'sample.ndjson'])
    await copyFile(join(root, 'examples', name), join(folder, name));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs an example. `react` may respond to its output. */
function start(
  example: string,
  endpoint: string,
  args: string[] = [],
  react: (line: string, kill: () => void) => void = () => {},
) {
  const env = { ...process.env, EVENTFERRY_ENDPOINT: endpoint, EVENTFERRY_WRITE_KEY: 'key', PORT: '0' };
  const child = spawn(process.execPath, [join(folder, example.replace(/\.ts$/, '.js')), ...args], { cwd: root, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
    react(stdout, () => child.kill('SIGTERM'));
  });
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const runs: Record<string, { prints: RegExp; sends: number }> = {
  'script.ts': { prints: /^The collector has [\da-f-]{36}\.\n$/, sends: 1 },
  'catalogue.ts': {
    prints: /^reported: track\.properties\.total of "Order Completed": .*number.*\n2 delivered\n$/,
    sends: 2,
  },
  'import.ts': { prints: /45 rows read\n45 delivered, 0 lost, 0 invalid\n$/, sends: 45 },

  'commonjs.cjs': { prints: /^2 delivered\n$/, sends: 2 },
  'opentelemetry.ts': {
    prints: /^span POST \/orders, 0 links\nspan flush, 1 links\nmetric eventferry\.messages\n(?:metric .*\n){4}$/,
    sends: 1,
  },
  'audience.ts': {
    prints: /3 joined, 0 left, 3 members\n0 joined, 1 left, 2 members\nada .*\nbea .*\nbea .*\ncleo .*\n$/,
    sends: 0,
  },
  'webhook-receiver.ts': {
    prints:
      /^received: user-1 did "Order Completed" at .*\nthe sender was told: 200 ok\nrefused with 401: .*\nthe sender was told: 401 .*\n$/,
    sends: 0,
  },
  'validate-express.ts': {
    prints:
      /^accepted: track of u1\n202: \[\]\n400: \[\{"message":"expected a non-empty string, got string .*","path":\["event"\]\}\]\n$/,
    sends: 0,
  },
  'embedded-service.ts': { prints: /^my app\n1 delivered, 1 joined\n$/, sends: 0 },
  'hono-app.ts': { prints: /^my app\napp: track of u1\n1 delivered\n$/, sends: 0 },
  'destination.ts': { prints: /\n3 events, 7 attempts, 6 delivered, 1 died on the way\n$/, sends: 0 },
};

test.each(Object.entries(runs))('%s does what it promises', async (example, { prints, sends }) => {
  const collector = await sink();
  const { code, stdout, stderr } = await start(example, collector.url);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(prints);
  expect(collector.messages).toHaveLength(sends);
});

test.each([
  ['fastify-app.ts', { context: { ip: '127.0.0.1' } }],
  ['cloud-run.ts', {}],
])('%s delivers the events of its requests before it ends', async (example, more) => {
  const collector = await sink();
  let isAsked = false;
  const { code, stdout, stderr } = await start(example, collector.url, [], (printed, kill) => {
    const url = /listening on (\S+)\n/.exec(printed)?.[1];
    if (url === undefined || isAsked) return;
    isAsked = true;
    fetch(`${url}/orders`, { method: 'POST' }).then(kill);
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('closed: 1 delivered, 0 lost');
  expect(collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1', ...more }]);
});

test('the tests of testing/node.test.ts pass', async () => {
  const { code, stdout } = await start('testing/node.test.ts', 'http://127.0.0.1:1');
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^(?:#|ℹ) pass 2$/m);
});

/**
 * Everything in the folder that is not an example to run here: the index, files that examples read, service configurations
 * (deploy.test.ts), examples that run elsewhere (test/platforms, test/package), and tests.
 */
const OTHERS = [
  'bun-collector.mjs',
  'deno-collector.mjs',
  'README.md',
  'plan.json',
  'sample.ndjson',
  'serve',
  'deploy',
  'next',
  'lambda.ts',
  'lambda-extension.ts',
  'lambda-streaming.ts',
  'testing',
  'worker.ts',
];

test('every example is run by a test', async () => {
  const found = (await readdir(join(root, 'examples'))).filter((name) => !OTHERS.includes(name));
  const tested = [...Object.keys(runs), 'fastify-app.ts', 'cloud-run.ts'];
  expect(found.sort()).toEqual(tested.sort());
});
