import { onTestFinished } from 'vitest';
import {
  AbortableRequest,
  type HttpTransport,
  type HttpTransportOptions,
} from '../../src/client/transport/http-transport.js';
import { nodeTransport } from '../../src/client/transport/node-transport.js';
import { type RouteOptions, resolveRoute } from '../../src/client/transport/route.js';
import { undiciTransport } from '../../src/client/transport/undici-transport.js';
import { FakeClock } from './fake-clock.js';

export type CreateTransport = (options: HttpTransportOptions) => HttpTransport | Promise<HttpTransport>;

/** Both of our transports. Each has to pass all tests. */
export const transports: readonly (readonly [name: string, createTransport: CreateTransport])[] = [
  ['node:http', nodeTransport],
  ['undici', (options) => undiciTransport(options, nodeTransport(options).send)],
];

/** Creates a transport to the endpoint of a client with these options. It is destroyed when the test ends. */
export async function transportTo(createTransport: CreateTransport, options: RouteOptions) {
  const clock = new FakeClock();
  const { url, ...route } = resolveRoute(options, { env: {}, execArgv: [] });
  const transport = await createTransport({ ...route, concurrency: 1, requestTimeout: 10_000, clock });
  onTestFinished(() => transport.destroy());
  const send = () => transport.send(new AbortableRequest(url, { 'X-Test': '1' }, new TextEncoder().encode('{}')));
  return { transport, clock, send };
}
