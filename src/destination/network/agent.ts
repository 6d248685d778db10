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
  /** The limit, in ms, for establishing a connection: name lookup, TCP and TLS together. */
  timeoutMs: number;
  clock: Clock;
  allowed: readonly Cidr[];
  lookup: Lookup;
}

/**
 * Opens connections for one endpoint. The addresses of a name are checked in the lookup that the socket itself makes, so the name
 * cannot resolve to another address in between.
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
    // The callback has two forms, but the types declare only one.
    lookup: guard(lookup, allowed) as never,
    // This is the default, but an environment variable can turn it off.
    rejectUnauthorized: true,
    // undici's own timer can fire up to a second late.
    timeout: 0,
  });
  const inTime = withDeadline(connect as Connecting, (giveUp) =>
    clock.after(timeoutMs, () => giveUp(new undici.errors.ConnectTimeoutError('No connection in time'))),
  );
  return openPool(undici, origin, { connections, pipelining: 1, connect: guardLiteral(inTime, allowed) });
}

/** A connector returns the socket that it is connecting, although the types do not declare this. */
type Connecting = (...args: Parameters<Connect>) => Socket;

/** Destroys a socket that is not connected by the deadline. `arm` returns a function that cancels the deadline. */
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

/** Checks literal addresses, for which no lookup is made. */
const guardLiteral =
  (connect: Connect, allowed: readonly Cidr[]): Connect =>
  (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || isReachable(host, allowed)) return connect(options, callback);
    return callback(new AddressRefusedError(host), null);
  };
