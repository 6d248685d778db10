import { onTestFinished } from 'vitest';
import { httpWire } from '../../src/transport/http.js';
import { Outgoing } from '../../src/transport/outgoing.js';
import { type RouteOptions, resolveRoute } from '../../src/transport/route.js';
import { undiciWire } from '../../src/transport/undici.js';
import type { Wire, WireOptions } from '../../src/transport/wire.js';
import { FakeClock } from './fake-clock.js';

export type CreateWire = (options: WireOptions) => Wire | Promise<Wire>;

/** Both of ours: each has to do all of it. */
export const wires: readonly (readonly [name: string, createWire: CreateWire])[] = [
  ['node:http', httpWire],
  ['undici', undiciWire],
];

/** A wire to the endpoint of a client with these options, destroyed when the test ends. */
export async function wireTo(createWire: CreateWire, options: RouteOptions) {
  const clock = new FakeClock();
  const { url, ...route } = resolveRoute(options, { env: {}, execArgv: [] });
  const wire = await createWire({ ...route, concurrency: 1, requestTimeout: 10_000, clock });
  onTestFinished(() => wire.destroy());
  const send = () => wire.send(new Outgoing(url, { 'X-Test': '1' }, new TextEncoder().encode('{}')));
  return { wire, clock, send };
}
