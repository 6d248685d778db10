import type { RateLimit, ServiceConfig, SourceConfig, TrackSchema } from '../config/config.js';
import type { ManagedDestination } from './managed-destination.js';

/** Where the messages of one source go. */
export interface Route {
  readonly source: string;
  /** The connected destinations, enabled or not. */
  readonly managedDestinations: readonly ManagedDestination[];
  /** Whether the source's track schema holds such an event back. */
  isBlocked(event: string): boolean;
}

/** Something that has a limit: a source, or one of its write keys. */
export interface Limited {
  /** Of nothing else. */
  readonly id: string;
  readonly limit: RateLimit;
}

/** What a write key belongs to. Each key has one of its own, by which it is known later, and which does not show it. */
interface KeyOwner {
  readonly name: string;
}

/** What memberships of audiences come from. No source of the configuration can have this name. */
export const AUDIENCES = '(audiences)';

/** Who may send, and where it goes: all that a configuration says of that, for as long as it holds. */
export class Routes {
  readonly #byName: ReadonlyMap<string, Route>;
  readonly #byKey: ReadonlyMap<string, KeyOwner>;

  constructor(
    { sources, audiences }: Pick<ServiceConfig, 'sources' | 'audiences'>,
    managedDestinations: ReadonlyMap<string, ManagedDestination>,
  ) {
    const routes = sources.map((source) => routeOf(source, managedDestinations));
    const nothing = { allowed: undefined, blocked: [] };
    routes.push(
      routeOf({ name: AUDIENCES, destinations: audiences.destinations, trackSchema: nothing }, managedDestinations),
    );
    this.#byName = new Map(routes.map((route) => [route.source, route]));
    this.#byKey = new Map(
      sources.flatMap((source) => source.writeKeys.map((key) => [key, ownerOf(key, source)] as const)),
    );
  }

  /** What the collector knows a write key by. */
  sourceOf(writeKey: string): KeyOwner | undefined {
    return this.#byKey.get(writeKey);
  }

  /** Undefined when there is no such source any more. */
  of(source: string): Route | undefined {
    return this.#byName.get(source);
  }
}

/** Beside the owners, which go wherever messages go. */
const limits = new WeakMap<KeyOwner, readonly Limited[]>();

function ownerOf(key: string, { name, rateLimit, rateLimitPerWriteKey }: SourceConfig): KeyOwner {
  const owner = { name };
  limits.set(owner, [
    ...(rateLimit === undefined ? [] : [{ id: `source ${name}`, limit: rateLimit }]),
    ...(rateLimitPerWriteKey === undefined ? [] : [{ id: `key ${key}`, limit: rateLimitPerWriteKey }]),
  ]);
  return owner;
}

/** What limits the owner of a key, which `sourceOf` gave, also before a reload. */
export const limitsOf = (owner: KeyOwner): readonly Limited[] => limits.get(owner) ?? [];

function routeOf(
  { name, destinations, trackSchema }: Pick<SourceConfig, 'name' | 'destinations' | 'trackSchema'>,
  managedDestinations: ReadonlyMap<string, ManagedDestination>,
): Route {
  return {
    source: name,
    managedDestinations: destinations.flatMap((destination) => managedDestinations.get(destination) ?? []),
    isBlocked: blockerOf(trackSchema),
  };
}

function blockerOf({ allowed, blocked }: TrackSchema): (event: string) => boolean {
  const isAllowed = allowed && new Set(allowed);
  const isBlocked = new Set(blocked);
  return (event) => isBlocked.has(event) || isAllowed?.has(event) === false;
}
