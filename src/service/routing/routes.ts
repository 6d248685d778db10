import type { ServiceConfig, SourceConfig, TrackSchema } from '../config/config.js';
import type { Outlet } from './outlet.js';

/** Where the messages of one source go. */
export interface Route {
  readonly source: string;
  /** The connected destinations, enabled or not. */
  readonly outlets: readonly Outlet[];
  /** Whether the source's track schema holds such an event back. */
  isBlocked(event: string): boolean;
}

/** What memberships of audiences come from. No source of the configuration can have this name. */
export const AUDIENCES = '(audiences)';

/** Who may send, and where it goes: all that a configuration says of that, for as long as it holds. */
export class Routes {
  readonly #byName: ReadonlyMap<string, Route>;
  readonly #byKey: ReadonlyMap<string, { readonly name: string }>;

  constructor(
    { sources, audiences }: Pick<ServiceConfig, 'sources' | 'audiences'>,
    outlets: ReadonlyMap<string, Outlet>,
  ) {
    const routes = sources.map((source) => routeOf(source, outlets));
    const nothing = { allowed: undefined, blocked: [] };
    routes.push(routeOf({ name: AUDIENCES, destinations: audiences.destinations, trackSchema: nothing }, outlets));
    this.#byName = new Map(routes.map((route) => [route.source, route]));
    this.#byKey = new Map(
      sources.flatMap(({ name, writeKeys }) => {
        const source = { name };
        return writeKeys.map((key) => [key, source] as const);
      }),
    );
  }

  /** What the collector knows a write key by. */
  sourceOf(writeKey: string): { readonly name: string } | undefined {
    return this.#byKey.get(writeKey);
  }

  /** Undefined when there is no such source any more. */
  of(source: string): Route | undefined {
    return this.#byName.get(source);
  }
}

function routeOf(
  { name, destinations, trackSchema }: Pick<SourceConfig, 'name' | 'destinations' | 'trackSchema'>,
  outlets: ReadonlyMap<string, Outlet>,
): Route {
  return {
    source: name,
    outlets: destinations.flatMap((destination) => outlets.get(destination) ?? []),
    isBlocked: blockerOf(trackSchema),
  };
}

function blockerOf({ allowed, blocked }: TrackSchema): (event: string) => boolean {
  const isAllowed = allowed && new Set(allowed);
  const isBlocked = new Set(blocked);
  return (event) => isBlocked.has(event) || isAllowed?.has(event) === false;
}
