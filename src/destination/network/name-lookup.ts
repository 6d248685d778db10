import { lookup as resolve } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fullNames, HOSTS_FILE, parsedFile, parseHosts, parseResolvConf, RESOLV_CONF } from './name-files.js';
import type { Lookup, ResolvedAddress } from './ssrf-guard.js';

export interface NameLookupOptions {
  /** Creates a resolver for one name. @default one that asks the name servers of the machine three times in seven seconds */
  resolver?: (() => Pick<Resolver, 'resolve4' | 'resolve6'>) | undefined;
  /** @default that of `node:dns` */
  system?: Lookup | undefined;
  /** The path of the hosts file. @default the hosts file of the machine */
  hostsFile?: string | undefined;
  /** The path of the resolver configuration. @default /etc/resolv.conf */
  resolvConf?: string | undefined;
  /** Milliseconds on a clock that never jumps. @default performance.now */
  now?: (() => number) | undefined;
}

// `resolve` has several overloads, and `Lookup` is one of them.
const systemLookup = resolve as Lookup;

/** The longest time for which an answer is kept, even if its own lifetime is longer. */
const LONGEST_TTL_MS = 5 * 60_000;
/** How many names are kept. No service has that many endpoints. */
const MAX_NAMES = 1_000;

/** Errors that mean: no such name, a name that DNS cannot have, or no name server. */
const NOT_FOUND: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ECONNREFUSED'];

/**
 * Looks up names without the system's lookup, which holds a thread until it is answered. Node has only two threads for it, so
 * names with a silent name server would delay all others. Here each name waits only for its own answer, and the answer is kept
 * for as long as the name server says.
 *
 * Like the system, it reads the hosts file first and completes names according to resolv.conf. If DNS does not know a name, the
 * system is asked, because it may know names from other sources (mDNS, LDAP).
 */
export function createNameLookup({
  resolver: createResolver = () => new Resolver({ timeout: 1_000, tries: 3 }),
  system = systemLookup,
  hostsFile = HOSTS_FILE,
  resolvConf = RESOLV_CONF,
  now = () => performance.now(),
}: NameLookupOptions = {}): Lookup {
  const readHosts = parsedFile(hostsFile, parseHosts);
  const readSearch = parsedFile(resolvConf, parseResolvConf);
  const kept = new Map<string, { readonly found: readonly ResolvedAddress[]; readonly until: number }>();
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();

  const addressesOf = async (name: string): Promise<readonly ResolvedAddress[]> => {
    const known = kept.get(name);
    if (known !== undefined && now() < known.until) return known.found;
    const asked = underWay.get(name) ?? find(name).finally(() => underWay.delete(name));
    underWay.set(name, asked);
    return asked;
  };

  const find = async (name: string): Promise<readonly ResolvedAddress[]> => {
    const hosts = await readHosts();
    const written = hosts.get(name);
    if (written !== undefined) return written.map((address) => ({ address, family: isIP(address) }));
    // Source: RFC 6761, section 6.3: `localhost` is never looked up over the network.
    if (/(^|\.)localhost\.?$/.test(name)) return askSystem(system, name);
    // Each lookup has a new resolver, which reads the current name servers and is not affected by failures of other names.
    const resolver = createResolver();
    let failure: unknown;
    for (const fullName of fullNames(name, await readSearch())) {
      const answered = await ask(resolver, fullName);
      if (answered.found.length > 0) {
        keep(name, answered);
        return answered.found;
      }
      failure ??= answered.failure;
    }
    // The system would wait for the same name servers, and hold a thread in the meantime.
    if (failure !== undefined) throw failure;
    return askSystem(system, name);
  };

  const keep = (name: string, { found, ttlSeconds }: LookupResult): void => {
    // The name whose lookup is longest ago is removed first.
    kept.delete(name);
    for (const [oldest] of kept) {
      if (kept.size < MAX_NAMES) break;
      kept.delete(oldest);
    }
    kept.set(name, { found, until: now() + Math.min(ttlSeconds * 1_000, LONGEST_TTL_MS) });
  };

  return (host, { all, family }, answer) => {
    addressesOf(host.toLowerCase()).then(
      (found) => {
        const wanted = found.filter((one) => isWanted(one.family, family));
        const [first] = wanted;
        if (first === undefined) answer(notFound(host), []);
        else if (all) answer(null, wanted);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, []),
    );
  };
}

const askSystem = (system: Lookup, name: string): Promise<readonly ResolvedAddress[]> =>
  new Promise((resolve, reject) => {
    system(name, { all: true }, (error, found) => {
      if (error || typeof found === 'string') reject(error ?? notFound(name));
      else resolve(found);
    });
  });

/** The lookup of the whole process, so that endpoints on the same host share its answers. */
export const nameLookup: Lookup = createNameLookup();

interface LookupResult {
  readonly found: readonly ResolvedAddress[];
  /** How long the answer may be kept. */
  readonly ttlSeconds: number;
  /** Why the name may have more addresses than were found. */
  readonly failure: unknown;
}

/** Looks up both kinds of address of a full name, IPv4 first. */
async function ask(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>, name: string): Promise<LookupResult> {
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  return {
    found: records.map(({ address }) => ({ address, family: isIP(address) })),
    ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
    failure: failures.find(({ code }) => !NOT_FOUND.includes(code)),
  };
}

/** @param wanted the family in the forms that `node:net` uses: 4, 6, `IPv4`, `IPv6`, or undefined or 0 for both */
function isWanted(family: number, wanted: number | string | undefined): boolean {
  if (wanted === undefined || wanted === 0) return true;
  return wanted === family || wanted === `IPv${family}`;
}

const notFound = (host: string): Error =>
  Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND', hostname: host });
