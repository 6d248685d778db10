import type { Client, Dispatcher, Pool } from 'undici';

/** What undici is made of here. */
interface Parts {
  readonly Pool: new (origin: string, options: Pool.Options) => Pool;
  readonly Client: new (origin: string, options: Client.Options) => Client;
}

/** One of a pool's connections, as far as its requests must know it. */
export interface Connection {
  /** Whether it has given an answer in whole, and no part of another since. */
  isReused: boolean;
}

/** A request that is told which connection it goes over. */
export type PoolRequest = Dispatcher.DispatchOptions & { connection?: Connection };

/**
 * undici's pool of connections. Loading this part of it takes a quarter of the time of loading its index, with everything
 * else in it; where it is not to be found (another version, another runtime) it is the index.
 */
export async function createPool(origin: string, options: Pool.Options, loadPart = loadPoolAlone): Promise<Pool> {
  const { Pool, Client } = await loadPart().catch(loadWithIndex);
  // Each client of a pool is one connection at a time.
  const factory = ({ origin }: URL, settings: object): Dispatcher => telling(new Client(origin, settings));
  return new Pool(origin, { ...options, factory });
}

function telling(client: Client): Client {
  const connection: Connection = { isReused: false };
  client.on('disconnect', () => {
    connection.isReused = false;
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request: PoolRequest, handler) => {
    request.connection = connection;
    return dispatch(request, handler);
  };
  return client;
}

/** In three steps, as all in one is a pause of some 20 ms for everyone else in the process. None is over 10 ms. */
async function loadPoolAlone(): Promise<Parts> {
  // @ts-expect-error it has no types of its own
  await import('undici/lib/core/util.js');
  await turn();
  // @ts-expect-error it has no types of its own
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  await turn();
  // @ts-expect-error it has no types of its own
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return { Pool, Client };
}

/** Resolves when the event loop has gone round. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const loadWithIndex = (): Promise<Parts> => import('undici');
