import type { Pool } from 'undici';

type PoolClass = new (origin: string, options: Pool.Options) => Pool;

/**
 * undici's pool of connections. Loading this part of it takes a quarter of the time of loading its index, with everything
 * else in it; where it is not to be found (another version, another runtime) it is the index.
 */
export async function createPool(origin: string, options: Pool.Options, loadPart = loadPoolAlone): Promise<Pool> {
  const PoolOfConnections = await loadPart().catch(loadWithIndex);
  return new PoolOfConnections(origin, options);
}

/** In three steps, as all in one is a pause of some 20 ms for everyone else in the process. None is over 10 ms. */
async function loadPoolAlone(): Promise<PoolClass> {
  // @ts-expect-error it has no types of its own
  await import('undici/lib/core/util.js');
  await turn();
  // @ts-expect-error it has no types of its own
  await import('undici/lib/dispatcher/client.js');
  await turn();
  // @ts-expect-error it has no types of its own
  const { default: pool } = await import('undici/lib/dispatcher/pool.js');
  return pool;
}

/** Resolves when the event loop has gone round. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function loadWithIndex(): Promise<PoolClass> {
  const { Pool } = await import('undici');
  return Pool;
}
