import type {
  AdminConfig,
  ClientListenConfig,
  DestinationConfig,
  HistoryConfig,
  ListenConfig,
  LmdbStoreConfig,
  LogConfig,
  MetricsConfig,
  RateLimit,
  RedisStoreConfig,
  SourceConfig,
  TrackingPlanConfig,
  TrackSchema,
} from './service-config.js';

/** `T`, of which the fields `K` may be left out. */
type WithDefaults<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>> & { readonly [P in K]?: T[P] | undefined };

/** A configuration as a program gives it to `Service.open`, `reload` and `parseConfig`: what has a default may be left out. */
export interface ServiceConfigInput {
  readonly listen?: WithDefaults<ClientListenConfig, 'host' | 'port'> | undefined;
  readonly store?: StoreConfigInput | undefined;
  readonly admin?: AdminConfigInput | undefined;
  readonly log?: WithDefaults<LogConfig, 'level'> | undefined;
  readonly metrics?: MetricsConfig | undefined;
  readonly history?: WithDefaults<HistoryConfig, 'maxAge'> | undefined;
  readonly sources: readonly SourceConfigInput[];
  readonly destinations?: readonly DestinationConfigInput[] | undefined;
  /** The names of the destinations that get memberships, or `all`: with more than 10 destinations it has to be given. @default 'all' */
  readonly audiences?: { readonly destinations?: readonly string[] | 'all' | undefined } | undefined;
}

export interface AdminConfigInput extends Omit<AdminConfig, 'listen'> {
  /** The address of admin calls, page and metrics. @default that of `listen` */
  readonly listen?: WithDefaults<ListenConfig, 'host' | 'port'> | undefined;
}

export type StoreConfigInput =
  | WithDefaults<LmdbStoreConfig, 'type' | 'path'>
  | WithDefaults<RedisStoreConfig, 'prefix'>;

export interface SourceConfigInput extends Pick<SourceConfig, 'name' | 'writeKeys'> {
  /** The names of the destinations that get what it sends. @default none */
  readonly destinations?: readonly string[] | undefined;
  /** @default every event is forwarded */
  readonly trackSchema?: WithDefaults<TrackSchema, 'blocked'> | undefined;
  /** The plan that its events follow. @default none */
  readonly trackingPlan?: WithDefaults<TrackingPlanConfig, 'onViolation' | 'onUnknownEvent'> | undefined;
  /** The limit of all of its clients together; beyond it requests are answered 429. Each process counts by itself. @default no limit */
  readonly rateLimit?: RateLimitInput | undefined;
  /** The limit of each of its write keys. @default no limit */
  readonly rateLimitPerWriteKey?: RateLimitInput | undefined;
}

export type RateLimitInput = WithDefaults<RateLimit, 'burst'>;

export type DestinationConfigInput = WithDefaults<DestinationConfig, 'enabled' | 'settle' | 'retryFor'>;
