import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { lacksNamespaces, run, runAsProcess1 } from '../../support/script.js';

const file = fileURLToPath(new URL('../../../src/base/process/end-by-signal.ts', import.meta.url));
const [built] = buildSync({ entryPoints: [file], bundle: true, format: 'esm', write: false }).outputFiles;

/** A program that stays alive, and that ends itself by a signal. */
const program = (signal: string, before = ''): string => `
  ${built?.text}
  setInterval(() => {}, 1_000);
  ${before}
  endBySignal('${signal}');
`;

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'])('endBySignal ends a process by %s', async (signal) => {
  expect(await run(program(signal)).ended).toEqual({ code: null, signal, stdout: '', stderr: '' });
});

test.skipIf(lacksNamespaces).each([
  ['SIGTERM', { code: 143, signal: null, stderr: '' }],
  ['SIGINT', { code: 130, signal: null, stderr: '' }],
  // abort() ends process 1 by SIGSEGV, because the system does not deliver SIGABRT to it either.
  ['SIGKILL', { code: null, signal: 'SIGSEGV' }],
])('endBySignal in process 1 of a container gives the usual exit status for %s', async (signal, ended) => {
  expect(await runAsProcess1(program(signal)).ended).toMatchObject(ended);
});

test.skipIf(lacksNamespaces)(
  'endBySignal in process 1 of a container leaves the signal to other listeners',
  async () => {
    const listen = "process.on('SIGTERM', () => process.exit(7));";
    expect(await runAsProcess1(program('SIGTERM', listen)).ended).toMatchObject({ code: 7 });
  },
);

test.skipIf(lacksNamespaces)(
  'endBySignal in process 1 of a container ends it if only signal-exit listens',
  async () => {
    const listen = "globalThis[Symbol.for('signal-exit emitter')] = { count: 1 }; process.on('SIGTERM', () => {});";
    expect(await runAsProcess1(program('SIGTERM', listen)).ended).toMatchObject({ code: 143 });
  },
);
