import { expect, onTestFinished, test, vi } from 'vitest';
import { undiciParts } from '../../src/client/transport/undici-parts.js';

test('eventferry/undici supplies its parts to clients, which then load none themselves', async () => {
  onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for('eventferry.undici')));
  // Another test of this process may have imported the module before.
  vi.resetModules();
  await import('../../src/undici/index.js');
  const { Client, Pool } = await undiciParts(() => expect.fail('loaded'));
  expect([Client.name, Pool.name]).toEqual(['Client', 'Pool']);
});
