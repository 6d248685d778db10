import { describe, expect, inject, test } from 'vitest';
import { commonJsDoors, doors } from './doors.js';
import { run } from './run.js';

/** The running Node, and the runtimes in `RUNTIMES`: `node-20.18.1=/path/to/node bun=/path/to/bun`. */
const runtimes = [
  ['this Node', process.execPath] as const,
  ...(process.env['RUNTIMES'] ?? '')
    .split(' ')
    .filter((entry) => entry !== '')
    .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const),
];

/** Returns the arguments with which a runtime runs a script. */
const argsOf = (name: string, script: string): string[] =>
  name === 'deno' ? ['run', '--allow-all', script] : [script];

describe.each(runtimes)('on %s', (name, program) => {
  test.each(['send.mjs', 'send.cjs', 'fetch.mjs'])(
    'the runtime %s sends an event and repeats it until it is accepted',
    async (script) => {
      const { stdout } = await run(program, argsOf(name, script), inject('project'));
      const request = {
        method: 'POST',
        url: '/v1/batch',
        authorization: `Basic ${btoa('dev:')}`,
        batch: [{ type: 'track', userId: 'u1', event: 'Order Completed', messageId: expect.any(String) }],
      };
      const requests = JSON.parse(stdout);
      expect(requests).toMatchObject([
        { ...request, retries: '0' },
        { ...request, retries: '1' },
      ]);
      expect(requests[1].batch).toEqual(requests[0].batch);
    },
  );

  test('entry points that are only ES modules can be required, or the error advises import()', async () => {
    const modules = doors.filter((door) => !commonJsDoors.includes(door));
    const args = [...argsOf(name, 'names.cjs'), ...modules];
    const required = run(program, args, inject('project'));
    if (name === 'node-20.18.1') await expect(required).rejects.toThrow(/ERR_REQUIRE_ESM.*dynamic import\(\)/s);
    else expect(Object.keys(JSON.parse((await required).stdout))).toEqual(modules);
  });
});

const others = runtimes.filter(([name]) => name === 'bun' || name === 'deno');

test.each(others)('the example of a collector on %s accepts what a client sends', async (name, program) => {
  const { stdout } = await run(program, argsOf(name, `${name}-collector.mjs`), inject('project'));
  expect(stdout).toBe('app: track of u1\n1 delivered\n');
});
