import { isIP, type Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { Clock } from '../base/time/clock.js';
import type { Cidr } from './address.js';
import { AddressRefusedError } from './destination-errors.js';
import { nameLookup } from './name-lookup.js';
import { guard, isReachable, type Lookup } from './ssrf-guard.js';

export interface AgentOptions {
  /** The most connections at once. */
  connections: number;
  /** A connection may take so many ms to come about: its name's lookup, TCP and TLS together. */
  timeoutMs: number;
  clock: Clock;
  allowed: readonly Cidr[];
  /** @default one in which a name waits for its own name server alone */
  lookup?: Lookup | undefined;
}

/**
 * Connections for one endpoint. What a name leads to is judged where the socket gets its address from, so there is no
 * moment in between at which the name could lead elsewhere.
 */
export async function openAgent({
  connections,
  timeoutMs,
  clock,
  allowed,
  lookup = nameLookup,
}: AgentOptions): Promise<Agent> {
  const { Agent, buildConnector, errors } = await import('undici');
  const connect = buildConnector({
    // The types know only one of the callback's two forms.
    lookup: guard(lookup, allowed) as never,
    // This is the default, but an environment variable can turn the default off.
    rejectUnauthorized: true,
    // undici's own timer is up to a second late.
    timeout: 0,
  });
  const inTime = withDeadline(connect as Connect, (giveUp) =>
    clock.after(timeoutMs, () => giveUp(new errors.ConnectTimeoutError('No connection in time'))),
  );
  return new Agent({ connections, pipelining: 1, connect: guardLiteral(inTime, allowed) });
}

/** The types leave out that a connector returns the socket with which it tries to connect. */
type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

/** Destroys a socket that is not connected by the deadline. `arm` returns what disarms it. */
const withDeadline =
  (connect: Connect, arm: (giveUp: (error: Error) => void) => () => void): buildConnector.connector =>
  (options, callback) => {
    const socket = connect(options, (...result) => {
      disarm();
      callback(...result);
    });
    const disarm = arm((error) => socket.destroy(error));
  };

/** No lookup is made for an address that is written out. */
const guardLiteral =
  (connect: buildConnector.connector, allowed: readonly Cidr[]): buildConnector.connector =>
  (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || isReachable(host, allowed)) connect(options, callback);
    else callback(new AddressRefusedError(host), null);
  };
