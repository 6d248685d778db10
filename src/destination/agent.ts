import { lookup as resolve } from 'node:dns';
import { isIP } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { Cidr } from './address.js';
import { AddressRefusedError } from './errors.js';
import { mayReach } from './reach.js';

interface Found {
  address: string;
  family: number;
}

type Answer = (error: Error | null, address: string | Found[], family?: number) => void;

/** As `node:dns` has it: asked for all addresses of a name, or for one. */
export type Lookup = (
  host: string,
  options: { all?: boolean | undefined; family?: number | string | undefined },
  answer: Answer,
) => void;

export interface AgentOptions {
  /** The most connections at once. */
  connections: number;
  /** How long a connection may take to come about, in ms. */
  timeoutMs: number;
  allowed: readonly Cidr[];
  /** @default that of `node:dns` */
  lookup?: Lookup | undefined;
}

// Its type is a family of overloads, of which this is one.
const systemLookup = resolve as Lookup;

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
    lookup: guard(lookup, allowed) as never,
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

/** The same lookup, without the addresses that may not be reached. */
export const guard =
  (lookup: Lookup, allowed: readonly Cidr[]): Lookup =>
  (host, options, answer) =>
    lookup(host, options, (error, found, family) => {
      if (error) return answer(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const reachable = addresses.filter((address) => mayReach(address, allowed));
      if (reachable.length === 0) return answer(new AddressRefusedError(host), found);
      if (typeof found === 'string') return answer(null, found, family);
      answer(
        null,
        found.filter(({ address }) => reachable.includes(address)),
      );
    });
