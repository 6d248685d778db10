import { onTestFinished } from 'vitest';
import { AbortableRequest } from '../../src/client/transport/abortable-request.js';
import type { HttpTransport, HttpTransportOptions } from '../../src/client/transport/http-transport.js';
import { nodeTransport } from '../../src/client/transport/node-transport.js';
import { type RouteOptions, resolveRoute } from '../../src/client/transport/route.js';
import { undiciTransport } from '../../src/client/transport/undici-transport.js';
import { FakeClock } from './fake-clock.js';

export type CreateWire = (options: HttpTransportOptions) => HttpTransport | Promise<HttpTransport>;

/** Both of ours: each has to do all of it. */
export const wires: readonly (readonly [name: string, createWire: CreateWire])[] = [
  ['node:http', nodeTransport],
  ['undici', undiciTransport],
];

/** A wire to the endpoint of a client with these options, destroyed when the test ends. */
export async function wireTo(createWire: CreateWire, options: RouteOptions) {
  const clock = new FakeClock();
  const { url, ...route } = resolveRoute(options, { env: {}, execArgv: [] });
  const wire = await createWire({ ...route, concurrency: 1, requestTimeout: 10_000, clock });
  onTestFinished(() => wire.destroy());
  const send = () => wire.send(new AbortableRequest(url, { 'X-Test': '1' }, new TextEncoder().encode('{}')));
  return { wire, clock, send };
}
