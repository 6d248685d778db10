import { lookup as resolve } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fullNames, HOSTS_FILE, ParsedFile, parseHosts, parseResolvConf, RESOLV_CONF } from './name-files.js';
import type { Found, Lookup } from './ssrf-guard.js';

export interface NameLookupOptions {
  /** A resolver for one name. @default one that asks the name servers of the machine, three times in seven seconds */
  resolver?: (() => Pick<Resolver, 'resolve4' | 'resolve6'>) | undefined;
  /** @default that of `node:dns` */
  system?: Lookup | undefined;
  /** @default the hosts file of the machine */
  hostsFile?: string | undefined;
  /** @default /etc/resolv.conf */
  resolvConf?: string | undefined;
  /** Milliseconds on a clock that never jumps. @default performance.now */
  now?: (() => number) | undefined;
}

// Its type is a family of overloads, of which this is one.
const systemLookup = resolve as Lookup;

/** An answer that says it is good for longer is asked for anew after this all the same. */
const LONGEST_TTL_MS = 5 * 60_000;
/** More names than any service has endpoints. */
const MAX_NAMES = 1_000;

/** There is no such name, or none that DNS could have, or no name server. */
const NOT_FOUND: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ECONNREFUSED'];

interface Kept {
  readonly found: readonly Found[];
  readonly until: number;
}

/**
 * Looks names up without the system's lookup. That one holds a thread until it is answered, and Node lends it two: names
 * whose server is silent would keep every other name waiting. Here each name waits for its own answer alone, and the
 * answer is kept for as long as the name server says.
 *
 * As the system does, it goes by the hosts file first and completes names as resolv.conf says. What DNS does not know the
 * system is asked for, as it may know names from elsewhere (mDNS, LDAP).
 */
export class NameLookup {
  readonly #resolver: NonNullable<NameLookupOptions['resolver']>;
  readonly #system: Lookup;
  readonly #now: () => number;
  readonly #hosts: ParsedFile<ReturnType<typeof parseHosts>>;
  readonly #search: ParsedFile<ReturnType<typeof parseResolvConf>>;
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<readonly Found[]>>();

  constructor(options: NameLookupOptions = {}) {
    const { hostsFile = HOSTS_FILE, resolvConf = RESOLV_CONF } = options;
    this.#resolver = options.resolver ?? (() => new Resolver({ timeout: 1_000, tries: 3 }));
    this.#system = options.system ?? systemLookup;
    this.#now = options.now ?? (() => performance.now());
    this.#hosts = new ParsedFile(hostsFile, parseHosts);
    this.#search = new ParsedFile(resolvConf, parseResolvConf);
  }

  readonly lookup: Lookup = (host, { all, family }, answer) => {
    this.#addressesOf(host.toLowerCase()).then(
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

  #addressesOf(name: string): Promise<readonly Found[]> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && this.#now() < kept.until) return Promise.resolve(kept.found);
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const asked = this.#find(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, asked);
    return asked;
  }

  async #find(name: string): Promise<readonly Found[]> {
    const hosts = await this.#hosts.read();
    const written = hosts.get(name);
    if (written !== undefined) return written.map((address) => ({ address, family: isIP(address) }));
    // Source: RFC 6761, section 6.3: `localhost` is never asked for over the network.
    if (/(^|\.)localhost\.?$/.test(name)) return this.#askSystem(name);
    // A new one each time: it knows the name servers as they are now, and nothing of the trouble of other names.
    const resolver = this.#resolver();
    let failure: unknown;
    for (const fullName of fullNames(name, await this.#search.read())) {
      const answered = await ask(resolver, fullName);
      if (answered.found.length > 0) {
        this.#keep(name, answered);
        return answered.found;
      }
      failure ??= answered.failure;
    }
    // The system would wait for the same name servers, and hold a thread meanwhile.
    if (failure !== undefined) throw failure;
    return this.#askSystem(name);
  }

  #askSystem(name: string): Promise<readonly Found[]> {
    return new Promise((resolve, reject) => {
      this.#system(name, { all: true }, (error, found) => {
        if (error || typeof found === 'string') reject(error ?? notFound(name));
        else resolve(found);
      });
    });
  }

  #keep(name: string, { found, ttlSeconds }: Answered): void {
    // The name that was asked for longest ago goes first.
    this.#kept.delete(name);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size < MAX_NAMES) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(name, { found, until: this.#now() + Math.min(ttlSeconds * 1_000, LONGEST_TTL_MS) });
  }
}

/** One lookup for the whole process, so that endpoints at one host share what is known of it. */
export const nameLookup: Lookup = new NameLookup().lookup;

interface Answered {
  readonly found: readonly Found[];
  /** For how long the answer is good. */
  readonly ttlSeconds: number;
  /** Why it is not known whether the name has more addresses. */
  readonly failure: unknown;
}

/** Both kinds of address of a full name, IPv4 first. */
async function ask(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>, name: string): Promise<Answered> {
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

/** `family` as `node:net` gives it: 4, 6, `IPv4`, `IPv6`, or nothing and 0 for both. */
function isWanted(family: number, wanted: number | string | undefined): boolean {
  if (wanted === undefined || wanted === 0) return true;
  return wanted === family || wanted === `IPv${family}`;
}

const notFound = (host: string): Error =>
  Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND', hostname: host });
