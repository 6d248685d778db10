import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { bringUndici, undiciParts } from '../../../src/client/transport/undici-parts.js';
import { serve } from '../../support/loopback.js';

const answering = () =>
  serve((request, response) => {
    request.resume();
    response.end('here');
  });

test("undici's part for connections is loaded from the expected place, and not from the index", async () => {
  const parts = await undiciParts();
  expect([parts.Pool.name, parts.Client.name]).toEqual(['Pool', 'Client']);
  expect(Object.keys(parts).sort()).toEqual(['Client', 'Pool', 'buildConnector']);
});

test("undici's index is loaded if the part for connections is missing", async () => {
  const { Pool: Found } = await undiciParts(() => Promise.reject(new Error('Cannot find module')));
  const pool = new Found(await answering(), {});
  onTestFinished(() => pool.destroy());
  expect(pool).toBeInstanceOf(Pool);
  const { body } = await pool.request({ path: '/', method: 'POST' });
  expect(await body.text()).toBe('here');
});

test('an undici that the program supplies is used, and no other is loaded', async () => {
  onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for('eventferry.undici')));
  const own = await undiciParts();
  bringUndici(own);
  expect(await undiciParts(() => expect.fail('loaded'))).toBe(own);
});

test('bundlers do not include undici', async () => {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    entryPoints: ['src/client/transport/default-transport.ts'],
    bundle: true,
    platform: 'node',
    external: ['undici', 'undici/*'],
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const [output] = Object.values(metafile.outputs);
  expect(output?.imports.map(({ path }) => path).filter((path) => path.startsWith('undici'))).toEqual([]);
});
