import type { Catalogue } from '../../events/catalogue.js';
import type { Analytics } from '../analytics.js';
import type { Defaults } from './defaults.js';
import type { INSPECT, Tracker } from './tracker.js';

/** The public members of a class, without the private fields that make TypeScript tell two copies of the class apart. */
type Offered<T, Own extends PropertyKey = never> = { [K in Exclude<keyof T, Own | typeof INSPECT>]: T[K] };

/** The calls of any client, of a child or inside a run. */
export interface TrackerClient<Who = unknown, C extends Catalogue = Catalogue>
  extends Offered<Tracker<Who, C>, 'child'> {
  child(defaults: Defaults): TrackerClient<unknown, C>;
}

/**
 * Any client: of `eventferry`, of `eventferry/fetch`, or of a test. Use it as the parameter type of a function that should work
 * with all of them.
 *
 * @example
 * function checkOut(analytics: AnalyticsClient) {
 *   analytics.track({ userId: 'u1', event: 'Order Completed' });
 * }
 */
export interface AnalyticsClient<C extends Catalogue = Catalogue>
  extends Offered<Analytics<C>, 'child' | 'current' | 'importer'> {
  child(defaults: Defaults): TrackerClient<unknown, C>;
  readonly current: TrackerClient<unknown, C>;
}
