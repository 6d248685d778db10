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

/** `T` with the fields `K` optional. */
type WithDefaults<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>> & { readonly [P in K]?: T[P] | undefined };

/** A configuration as a program gives it to `Service.open`, `reload` and `parseConfig`. Values with a default are optional. */
export interface ServiceConfigInput {
  readonly listen?: WithDefaults<ClientListenConfig, 'host' | 'port'> | undefined;
  readonly store?: StoreConfigInput | undefined;
  readonly admin?: AdminConfigInput | undefined;
  readonly log?: WithDefaults<LogConfig, 'level'> | undefined;
  readonly metrics?: MetricsConfig | undefined;
  readonly history?: WithDefaults<HistoryConfig, 'maxAge'> | undefined;
  readonly sources: readonly SourceConfigInput[];
  readonly destinations?: readonly DestinationConfigInput[] | undefined;
  /** The destinations that receive memberships, or `all`. Required if there are more than 10 destinations. @default 'all' */
  readonly audiences?: { readonly destinations?: readonly string[] | 'all' | undefined } | undefined;
}

export interface AdminConfigInput extends Omit<AdminConfig, 'listen'> {
  /** The address of the admin API, the page and the metrics. @default that of `listen` */
  readonly listen?: WithDefaults<ListenConfig, 'host' | 'port'> | undefined;
}

export type StoreConfigInput =
  | WithDefaults<LmdbStoreConfig, 'type' | 'path'>
  | WithDefaults<RedisStoreConfig, 'prefix'>;

export interface SourceConfigInput extends Pick<SourceConfig, 'name' | 'writeKeys'> {
  /** The names of the destinations that receive its messages. @default none */
  readonly destinations?: readonly string[] | undefined;
  /** @default every event is forwarded */
  readonly trackSchema?: WithDefaults<TrackSchema, 'blocked'> | undefined;
  /** The tracking plan that its events have to follow. @default none */
  readonly trackingPlan?: WithDefaults<TrackingPlanConfig, 'onViolation' | 'onUnknownEvent'> | undefined;
  /** The limit for all of its clients together; each process counts by itself. Excess gets 429. @default no limit */
  readonly rateLimit?: RateLimitInput | undefined;
  /** The limit for each of its write keys. @default no limit */
  readonly rateLimitPerWriteKey?: RateLimitInput | undefined;
}

export type RateLimitInput = WithDefaults<RateLimit, 'burst'>;

export type DestinationConfigInput = WithDefaults<DestinationConfig, 'enabled' | 'settle' | 'retryFor'>;
