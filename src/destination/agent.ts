import { isIP } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { Cidr } from './address.js';
import { AddressRefusedError } from './errors.js';
import { guard, type Lookup, shared, systemLookup } from './lookup.js';
import { mayReach } from './reach.js';

export interface AgentOptions {
  /** The most connections at once. */
  connections: number;
  /** How long a connection may take to come about, in ms. */
  timeoutMs: number;
  allowed: readonly Cidr[];
  /** @default that of `node:dns` */
  lookup?: Lookup | undefined;
}

/**
 * Connections for one endpoint. What a name leads to is judged where the socket gets its address from, so there is no
 * moment in between at which the name could lead elsewhere.
 */
export async function openAgent({
  connections,
  timeoutMs,
  allowed,
  lookup = systemLookup,
}: AgentOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({
    // The types know the callback in one of its two forms only.
    lookup: guard(shared(lookup), allowed) as never,
    // Said here, because an environment variable can turn the default off.
    rejectUnauthorized: true,
    timeout: timeoutMs,
  });
  return new Agent({ connections, pipelining: 1, connect: guardLiteral(connect, allowed) });
}

/** No lookup is made for an address that is written out. */
const guardLiteral =
  (connect: buildConnector.connector, allowed: readonly Cidr[]): buildConnector.connector =>
  (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || mayReach(host, allowed)) connect(options, callback);
    else callback(new AddressRefusedError(host), null);
  };
