import { lookup as resolve } from 'node:dns';
import type { Cidr } from './address.js';
import { AddressRefusedError } from './errors.js';
import { isReachable } from './ssrf-guard.js';

/** An address that a name leads to. */
export interface Found {
  address: string;
  family: number;
}

type Answer = (error: Error | null, address: string | readonly Found[], family?: number) => void;

/** As `node:dns` has it: asked for all addresses of a name, or for one. */
export type Lookup = (
  host: string,
  options: { all?: boolean | undefined; family?: number | string | undefined },
  answer: Answer,
) => void;

// Its type is a family of overloads, of which this is one.
export const systemLookup = resolve as Lookup;

/** The same lookup, without the addresses that may not be reached. */
export const guard =
  (lookup: Lookup, allowed: readonly Cidr[]): Lookup =>
  (host, options, answer) =>
    lookup(host, options, (error, found, family) => {
      if (error) return answer(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const reachable = addresses.filter((address) => isReachable(address, allowed));
      if (reachable.length === 0) return answer(new AddressRefusedError(host), found);
      if (typeof found === 'string') return answer(null, found, family);
      answer(
        null,
        found.filter(({ address }) => reachable.includes(address)),
      );
    });
