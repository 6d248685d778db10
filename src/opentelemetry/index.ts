export { OptionError } from '../base/errors/errors.js';
export { type InstrumentedClient, instrumentAnalytics } from './instrument-analytics.js';
export { type InstrumentedDestination, instrumentDestination } from './instrument-destination.js';
export type { Instrumentation, InstrumentOptions, MeterLike, TracerLike } from './instrument-options.js';
export { addTraceparent } from './traceparent.js';
