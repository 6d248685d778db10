import { isIP, type Socket } from 'node:net';
import type { Pool } from 'undici';
import { type Connect, openPool } from '../../base/http/connections.js';
import type { Cidr } from '../../base/text/address.js';
import type { Clock } from '../../base/time/clock.js';
import { AddressRefusedError } from '../destination-errors.js';
import { guard, isReachable, type Lookup } from './ssrf-guard.js';

export interface AgentOptions {
  origin: string;
  /** The most connections at once. */
  connections: number;
  /** A connection may take so many ms to come about: its name's lookup, TCP and TLS together. */
  timeoutMs: number;
  clock: Clock;
  allowed: readonly Cidr[];
  lookup: Lookup;
}

/**
 * Connections for one endpoint. What a name leads to is judged where the socket gets its address from, so there is no
 * moment in between at which the name could lead elsewhere.
 */
export async function openAgent({
  origin,
  connections,
  timeoutMs,
  clock,
  allowed,
  lookup,
}: AgentOptions): Promise<Pool> {
  const undici = await import('undici');
  const connect = undici.buildConnector({
    // The types know only one of the callback's two forms.
    lookup: guard(lookup, allowed) as never,
    // This is the default, but an environment variable can turn the default off.
    rejectUnauthorized: true,
    // undici's own timer is up to a second late.
    timeout: 0,
  });
  const inTime = withDeadline(connect as Connecting, (giveUp) =>
    clock.after(timeoutMs, () => giveUp(new undici.errors.ConnectTimeoutError('No connection in time'))),
  );
  return openPool(undici, origin, { connections, pipelining: 1, connect: guardLiteral(inTime, allowed) });
}

/** The types leave out that a connector returns the socket with which it tries to connect. */
type Connecting = (...args: Parameters<Connect>) => Socket;

/** Destroys a socket that is not connected by the deadline. `arm` returns what disarms it. */
const withDeadline =
  (connect: Connecting, arm: (giveUp: (error: Error) => void) => () => void): Connect =>
  (options, callback) => {
    const socket = connect(options, (...result) => {
      disarm();
      callback(...result);
    });
    const disarm = arm((error) => socket.destroy(error));
    return socket;
  };

/** No lookup is made for an address that is written out. */
const guardLiteral =
  (connect: Connect, allowed: readonly Cidr[]): Connect =>
  (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || isReachable(host, allowed)) return connect(options, callback);
    return callback(new AddressRefusedError(host), null);
  };
