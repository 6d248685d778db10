import type { SettleRule } from '../../delivery/completion-rule.js';
import type { DestinationSettings } from '../../destination/settings/destination-settings.js';
import type { Plan } from '../../plan/plan.js';

/** The checked configuration of a service, with every default filled in and every `${NAME}` replaced. */
export interface ServiceConfig {
  readonly listen: ClientListenConfig;
  readonly store: StoreConfig;
  readonly admin: AdminConfig;
  readonly log: LogConfig;
  readonly metrics: MetricsConfig;
  readonly history: HistoryConfig;
  readonly sources: readonly SourceConfig[];
  readonly destinations: readonly DestinationConfig[];
  readonly audiences: AudiencesConfig;
}

/** The address for clients, and for everything that has no address of its own. It is read only when the service starts. */
export interface ListenConfig {
  /** An address or host name of this machine; `0.0.0.0` and `::` mean all addresses. @default '127.0.0.1' */
  readonly host: string;
  /** The port; 0 picks any free port. @default 4100 */
  readonly port: number;
}

/** The address that clients send to. */
export interface ClientListenConfig extends ListenConfig {
  /**
   * The number of your own proxies in front of the service. They add the client's address to `X-Forwarded-For`, and limits apply
   * per address.
   *
   * @default 0
   */
  readonly trustedProxies?: number | undefined;
}

/** The store of the service. It is opened only when the service starts. @default lmdb in `data`, beside the configuration */
export type StoreConfig = LmdbStoreConfig | RedisStoreConfig;

/** A store on the disk of one machine. */
export interface LmdbStoreConfig {
  readonly type: 'lmdb';
  /** The folder. In the file it may be relative to the file; here it is absolute. @default 'data' */
  readonly path: string;
  /** How long the start waits for another process that has the folder open, in milliseconds. @default 20_000 */
  readonly lockTimeout?: number | undefined;
}

/** A store on a server or a cluster, which several machines can share. */
export interface RedisStoreConfig {
  readonly type: 'redis';
  /** The URL of one Redis or Valkey server: `redis://` or `rediss://`. It may hold a password and is never shown. */
  readonly url?: string | undefined;
  /**
   * The URLs of Redis Sentinels. They name the master to use, and `url` then has the name of the watched master in place of the
   * host. The URLs may hold a password and are never shown.
   */
  readonly sentinels?: readonly string[] | undefined;
  /** The URLs of some nodes of a cluster, in place of `url`. They may hold a password and are never shown. */
  readonly cluster?: readonly string[] | undefined;
  /** The number of partitions in a cluster. It must never change. @default 16 */
  readonly partitions?: number | undefined;
  /** The CA certificate that signed the servers' certificates, in PEM. @default those that Node.js trusts */
  readonly ca?: string | undefined;
  /** The beginning of every key, so that several services can share a server. @default 'eventferry' */
  readonly prefix: string;
  /** True answers a request only when the server has its messages on disk (WAITAOF). @default false */
  readonly waitForDisk?: boolean | undefined;
  /** How many replicas must have the messages of a request before it is answered (WAIT). @default 0 */
  readonly waitForReplicas?: number | undefined;
}

/** Access to the admin API, the page and the metrics. */
export interface AdminConfig {
  /**
   * The separate address of the admin API, the page and the metrics. The client address then serves only messages and health,
   * which is on both. It is read only when the service starts. @default that of `listen`
   */
  readonly listen?: ListenConfig | undefined;
  /** The token for the admin API and the page: 16 or more visible ASCII characters. @default none: they answer 403 */
  readonly token?: string | undefined;
  /** Further tokens. Changes are listed under the name of the token that made them. @default none */
  readonly tokens?: readonly AdminTokenConfig[] | undefined;
  /**
   * The address at which browsers reach the page through a proxy. Requests need its origin, and its path limits the session
   * cookie.
   * @default by the headers of the request
   */
  readonly publicUrl?: string | undefined;
  /**
   * The number of your own proxies in front of the service. It trusts only what these have added to `X-Forwarded-Host` and
   * `X-Forwarded-Proto`, and nothing that a client sent. @default 0
   */
  readonly trustedProxies?: number | undefined;
}

/** A token for the admin calls and the page. */
export interface AdminTokenConfig {
  /** The name of its owner. */
  readonly name: string;
  /** The token: 16 or more visible ASCII characters. */
  readonly token: string;
  /** True if the token may only read. @default false */
  readonly readOnly?: boolean | undefined;
}

export interface LogConfig {
  /** The lowest level that is logged. @default 'info' */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

export interface MetricsConfig {
  /**
   * A token that gives access only to the metrics: 16 or more visible ASCII characters. Admin tokens give access to them too.
   * @default none
   */
  readonly token?: string | undefined;
  /** True reports metrics for each source and destination; false reports sums. @default true up to 200 destinations */
  readonly perDestination?: boolean | undefined;
}

/** The limits on the attempts that the service keeps, for all destinations together. */
export interface HistoryConfig {
  /** The maximum size in bytes, including messages and answers. 0 keeps nothing. @default 1 GB on lmdb, 128 MB on Redis */
  readonly maxBytes?: number | undefined;
  /** How long an attempt is kept, in milliseconds. @default 604_800_000, seven days */
  readonly maxAge: number;
}

/** A sender of messages. */
export interface SourceConfig {
  /** 1 to 100 letters, digits, spaces, `.`, `_` and `-`; unique among sources. */
  readonly name: string;
  /** One or more different keys. With several, a key can be replaced without an interruption. */
  readonly writeKeys: readonly string[];
  /** The names of the destinations that receive its messages. @default none */
  readonly destinations: readonly string[];
  readonly trackSchema: TrackSchema;
  /** The tracking plan that its events have to follow. @default none */
  readonly trackingPlan?: TrackingPlanConfig | undefined;
  /** The limit for all of its clients together; each process counts by itself. Excess gets 429. @default no limit */
  readonly rateLimit?: RateLimit | undefined;
  /** The limit for each of its write keys. @default no limit */
  readonly rateLimitPerWriteKey?: RateLimit | undefined;
}

/** The long-term rate of messages, and the size of a burst. */
export interface RateLimit {
  readonly messagesPerSecond: number;
  /** How many messages may be sent at once after a pause. @default 2500, or `messagesPerSecond` if that is more */
  readonly burst: number;
}

/** The track events that are forwarded. All others are counted as received, but not forwarded. */
export interface TrackSchema {
  /** If given, only these events are forwarded. @default all */
  readonly allowed?: readonly string[] | undefined;
  /** Events that are not forwarded, even if `allowed` contains them. @default none */
  readonly blocked: readonly string[];
}

/** What happens to a message that violates the plan: `report` counts and forwards it, `block` counts and drops it. */
export type PlanAction = 'allow' | 'report' | 'block';

/** The tracking plan of a source. */
export interface TrackingPlanConfig {
  /** The content of the file. */
  readonly plan: Plan;
  /** @default 'report' */
  readonly onViolation: PlanAction;
  /** What happens to track events that are not in the plan. @default the same as `onViolation` */
  readonly onUnknownEvent: PlanAction;
}

/** A receiver of messages, with its defaults filled in. */
export interface DestinationConfig extends DestinationSettings {
  /** Has the same form as the name of a source, and is unique among destinations. Its deliveries are stored under this name. */
  readonly name: string;
  readonly type: 'Webhooks';
  readonly enabled: boolean;
  readonly settle: SettleRule;
  readonly retryFor: number;
  /** True keeps the attempts, so that the page and the API can show them. @default true */
  readonly keepAttempts?: boolean | undefined;
}

export interface AudiencesConfig {
  /** The names of the destinations that receive memberships. */
  readonly destinations: readonly string[];
}
