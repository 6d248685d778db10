import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listenOn } from '../../src/cli/listen/listen-on.js';
import type { DestinationConfigInput } from '../../src/service/config/config-input.js';
import { basic, send } from '../collector/support.js';
import { customersOf, keyOf, startCustomers } from '../e2e/customers.js';
import { COMMAND } from '../e2e/service.js';
import { TOKEN, track } from '../service/support.js';
import { createAuthority } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';

/** A long path, as some products use. */
const LONG = `/hooks/${'a-part-of-a-long-path/'.repeat(10)}`;

/** A destination that gets the events of every source, like a data warehouse. */
const WAREHOUSE = 'Warehouse';

/** Registers a function that is called at the end. */
type AtEnd = (act: () => void | Promise<void>) => void;

/**
 * Starts the built `serve` on lmdb with `count` customers, many of which have all kinds of problems, and opens its page.
 *
 * @param atEnd registers the functions that close the parts. @default they are called when the test ends
 */
export async function openTown(count: number, atEnd: AtEnd = onTestFinished) {
  const customers = await startCustomers();
  atEnd(customers.close);
  const { sources, destinations } = customersOf(count, customers.url);
  const untrusted = await startUntrusted(atEnd);
  const changed = destinations.map((destination, number) => ({ ...destination, ...troubleOf(number, untrusted) }));
  const warehouse = {
    ...changed[0],
    name: WAREHOUSE,
    webhooks: [{ url: `${customers.url}/0` }],
  } as DestinationConfigInput;
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-town-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = {
    listen: { port },
    admin: { tokens: [{ name: 'ana', token: TOKEN }] },
    store: { type: 'lmdb', path: 'data' },
    audiences: { destinations: 'all' },
    sources: sources.map((source) => ({ ...source, destinations: [...(source.destinations ?? []), WAREHOUSE] })),
    destinations: [...changed, warehouse],
  };
  await writeFile(join(folder, 'eventferry.json'), JSON.stringify(config));
  // The service is a separate process, because the delay of its event loop is shown.
  const serve = spawn(process.execPath, [COMMAND, 'serve', 'eventferry.json', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(async () => {
    if (serve.exitCode === null && serve.kill()) await once(serve, 'exit');
  });
  const url = `http://127.0.0.1:${port}`;
  await once(serve.stdout, 'data');
  serve.stdout.resume();
  const sendAs = async (number: number, batch: readonly object[]): Promise<void> => {
    const headers = { authorization: basic(keyOf(number)) };
    await send(url, '/v1/batch', { headers, body: JSON.stringify({ batch }) });
  };
  return { url, sendAs };
}

function troubleOf(number: number, untrusted: string): Partial<DestinationConfigInput> {
  if (number % 50 === 11) return { webhooks: [{ url: `${untrusted}/${number}` }] };
  if (number % 50 === 21) return { webhooks: [{ url: `http://127.0.0.1:1/${number}` }] };
  if (number % 50 === 31) return { webhooks: [{ url: `http://127.0.0.1:1${LONG}${number}` }] };
  if (number % 50 === 41) return { enabled: false };
  return { requestTimeout: 5_000 };
}

/** Starts an endpoint whose certificate no known authority has signed. */
async function startUntrusted(atEnd: AtEnd): Promise<string> {
  const server = createServer(createAuthority(atEnd).sign('IP:127.0.0.1'));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${await listenOn(server, { port: 0, host: '127.0.0.1' })}`;
}

/** Returns the events of a customer: orders and views of several users. */
export const eventsOf = (number: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) =>
    track(`m${number}-${index}`, {
      userId: `user-${number}-${index % 3}`,
      event: index % 2 === 0 ? 'Order Completed' : 'Product Viewed',
    }),
  );
