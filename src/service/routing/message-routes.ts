import type { RateLimit, ServiceConfig, SourceConfig, TrackSchema } from '../config/service-config.js';
import type { ManagedDestination } from './managed-destination.js';
import type { PlanRule, PlanRules } from './plan-rules.js';

/** Where the messages of one source go. */
export interface SourceRoute {
  readonly source: string;
  /** The destinations of the source, enabled or not. */
  readonly managedDestinations: readonly ManagedDestination[];
  /** True if the source's track schema blocks the event. */
  isBlocked(event: string): boolean;
  /** Undefined when the source has no tracking plan. */
  readonly plan: PlanRule | undefined;
}

/** A source or one of its write keys, with its rate limit. */
export interface Limited {
  /** A unique id. */
  readonly id: string;
  readonly limit: RateLimit;
}

/** Identifies the owner of a write key without revealing the key. There is one object for each key. */
interface KeyOwner {
  readonly name: string;
}

/** The name of the source of audience memberships. No configured source can have this name. */
export const AUDIENCES = '(audiences)';

/** The write keys and routes of one configuration. */
export class SourceRoutes {
  readonly #byName: ReadonlyMap<string, SourceRoute>;
  readonly #byKey: ReadonlyMap<string, KeyOwner>;

  constructor(
    { sources, audiences }: Pick<ServiceConfig, 'sources' | 'audiences'>,
    managedDestinations: ReadonlyMap<string, ManagedDestination>,
    plans: PlanRules = new Map(),
  ) {
    const routes = sources.map((source) => routeOf(source, managedDestinations, plans.get(source.name)));
    const nothing = { allowed: undefined, blocked: [] };
    routes.push(
      routeOf({ name: AUDIENCES, destinations: audiences.destinations, trackSchema: nothing }, managedDestinations),
    );
    this.#byName = new Map(routes.map((route) => [route.source, route]));
    this.#byKey = new Map(
      sources.flatMap((source) => source.writeKeys.map((key) => [key, ownerOf(key, source)] as const)),
    );
  }

  /** Returns the owner of a write key, for the collector. */
  sourceOf(writeKey: string): KeyOwner | undefined {
    return this.#byKey.get(writeKey);
  }

  /** Returns the route of a source; undefined if the source is no longer configured. */
  of(source: string): SourceRoute | undefined {
    return this.#byName.get(source);
  }

  /** Returns the configured sources that have at least one enabled destination. */
  fedSources(): string[] {
    const sources = [...this.#byName.keys()].filter((source) => source !== AUDIENCES);
    return sources.filter((source) => this.enabledOf(source).length > 0);
  }

  /** Returns the names of the enabled destinations of a source. */
  enabledOf(source: string): string[] {
    const enabled = this.of(source)?.managedDestinations.filter(({ isEnabled }) => isEnabled) ?? [];
    return enabled.map(({ name }) => name);
  }
}

/** The limits are kept apart from the owners, because owners are passed on with messages. */
const limits = new WeakMap<KeyOwner, readonly Limited[]>();

function ownerOf(key: string, { name, rateLimit, rateLimitPerWriteKey }: SourceConfig): KeyOwner {
  const owner = { name };
  limits.set(owner, [
    ...(rateLimit === undefined ? [] : [{ id: `source ${name}`, limit: rateLimit }]),
    ...(rateLimitPerWriteKey === undefined ? [] : [{ id: `key ${key}`, limit: rateLimitPerWriteKey }]),
  ]);
  return owner;
}

/** Returns the limits of an owner from `sourceOf`. Owners from before a reload still work. */
export const limitsOf = (owner: KeyOwner): readonly Limited[] => limits.get(owner) ?? [];

function routeOf(
  { name, destinations, trackSchema }: Pick<SourceConfig, 'name' | 'destinations' | 'trackSchema'>,
  managedDestinations: ReadonlyMap<string, ManagedDestination>,
  plan?: PlanRule,
): SourceRoute {
  return {
    source: name,
    managedDestinations: destinations.flatMap((destination) => managedDestinations.get(destination) ?? []),
    isBlocked: blockerOf(trackSchema),
    plan,
  };
}

const blocksNothing = (): boolean => false;

function blockerOf({ allowed, blocked }: TrackSchema): (event: string) => boolean {
  if (allowed === undefined && blocked.length === 0) return blocksNothing;
  const isAllowed = allowed && new Set(allowed);
  const isBlocked = new Set(blocked);
  return (event) => isBlocked.has(event) || isAllowed?.has(event) === false;
}
