import type { Pool } from 'undici';

/** The two things we ask of a pool of connections. */
export interface Connections {
  request: Pool['request'];
  destroy: Pool['destroy'];
}

type PoolClass = new (origin: string, options: Pool.Options) => Pool;
type PoolParts = readonly [PoolClass, Pool['request']];

/**
 * undici's pool. Loading its parts takes a quarter of the time of loading its index, with everything else in it; where they
 * are not to be found (another version, another runtime) it is the index.
 */
export async function createPool(
  origin: string,
  options: Pool.Options,
  loadParts: () => Promise<PoolParts> = loadPoolParts,
): Promise<Connections> {
  try {
    const [Pool, request] = await loadParts();
    const pool = new Pool(origin, options);
    return { request: request.bind(pool) as Pool['request'], destroy: pool.destroy.bind(pool) as Pool['destroy'] };
  } catch {
    const { Pool } = await import('undici');
    return new Pool(origin, options);
  }
}

async function loadPoolParts(): Promise<PoolParts> {
  const [pool, request] = await Promise.all([
    // @ts-expect-error it has no types of its own
    import('undici/lib/dispatcher/pool.js'),
    // @ts-expect-error it has no types of its own
    import('undici/lib/api/api-request.js'),
  ]);
  return [pool.default, request.default];
}
