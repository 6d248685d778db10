import { assertUndiciRuns, type UndiciParts } from '../../base/http/connections.js';
import { requireInstalled } from '../../base/process/installed.js';

/** Every copy of this code knows the symbol: the door and the client may be built in different formats. */
const BROUGHT = Symbol.for('eventferry.undici');

const brought = globalThis as { [BROUGHT]?: UndiciParts };

/** Gives undici to every client of the process that is made from now on. */
export function bringUndici(parts: UndiciParts): void {
  brought[BROUGHT] = parts;
}

/**
 * The part of undici that makes connections. Loading it takes a quarter of the time of loading its index, with everything else in it;
 * where it is not to be found (another version, another runtime) it is the index.
 *
 * @throws where undici does not run, and in a bundle that runs without the package, unless the program has imported `eventferry/undici`
 */
export async function undiciParts(loadPart = loadPoolAlone): Promise<UndiciParts> {
  assertUndiciRuns();
  return brought[BROUGHT] ?? (await loadPart().catch((): UndiciParts => requireInstalled()('undici')));
}

/** Loads in three steps of at most 10 ms, because one of 20 ms would be a pause for everyone else in the process. */
async function loadPoolAlone(): Promise<UndiciParts> {
  const require = requireInstalled();
  require('undici/lib/core/util.js');
  await turn();
  const Client = require('undici/lib/dispatcher/client.js');
  await turn();
  const Pool = require('undici/lib/dispatcher/pool.js');
  return { Client, Pool, buildConnector: require('undici/lib/core/connect.js') };
}

/** Resolves when the event loop has gone round. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
