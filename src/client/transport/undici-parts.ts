import { assertUndiciRuns, type UndiciParts } from '../../base/http/connections.js';
import { requireInstalled } from '../../base/process/installed.js';

/** Every copy of this code uses this symbol, because `eventferry/undici` and the client may differ in module format. */
const BROUGHT = Symbol.for('eventferry.undici');

const brought = globalThis as { [BROUGHT]?: UndiciParts };

/** Gives undici to every client that the process creates from now on. */
export function bringUndici(parts: UndiciParts): void {
  brought[BROUGHT] = parts;
}

/**
 * Loads the part of undici that makes connections, in a quarter of the time of undici's whole index. If that part is not found
 * (another version, another runtime), it loads the index.
 *
 * @throws if undici does not run, or in a bundle without the package, unless the program has imported `eventferry/undici`
 */
export async function undiciParts(loadPart = loadPoolAlone): Promise<UndiciParts> {
  assertUndiciRuns();
  return brought[BROUGHT] ?? (await loadPart().catch((): UndiciParts => requireInstalled()('undici')));
}

/** Loads in three steps of at most 10 ms, because one step of 20 ms would block the rest of the process. */
async function loadPoolAlone(): Promise<UndiciParts> {
  const require = requireInstalled();
  require('undici/lib/core/util.js');
  await turn();
  const Client = require('undici/lib/dispatcher/client.js');
  await turn();
  const Pool = require('undici/lib/dispatcher/pool.js');
  return { Client, Pool, buildConnector: require('undici/lib/core/connect.js') };
}

/** Resolves in the next turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
