import type { SettleRule } from '../../delivery/completion-rule.js';
import type { DestinationSettings } from '../../destination/settings/destination-settings.js';
import type { Plan } from '../../plan/plan.js';

/** The configuration of a service, checked, with every default in place and every `${NAME}` replaced. */
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

/** The address for clients, and for everything else that has no address of its own. It is read once, at the start. */
export interface ListenConfig {
  /** An address of this machine, or a name of one; `0.0.0.0` and `::` are all of them. @default '127.0.0.1' */
  readonly host: string;
  /** 0 takes any free port. @default 4100 */
  readonly port: number;
}

/** The address that clients send to. */
export interface ClientListenConfig extends ListenConfig {
  /**
   * The number of your own proxies in front: clients share limits by the address that these have added to `X-Forwarded-For`.
   *
   * @default 0
   */
  readonly trustedProxies?: number | undefined;
}

/** The store of the service, which it opens once, at the start. @default lmdb in `data`, beside the configuration */
export type StoreConfig = LmdbStoreConfig | RedisStoreConfig;

/** On the disk of one machine. */
export interface LmdbStoreConfig {
  readonly type: 'lmdb';
  /** A folder. In the file it may be relative to the file; here it is absolute. @default 'data' */
  readonly path: string;
  /** The longest wait at the start for another process that has the folder open, in milliseconds. @default 20_000 */
  readonly lockTimeout?: number | undefined;
}

/** On a server, or a cluster of them, for several machines. */
export interface RedisStoreConfig {
  readonly type: 'redis';
  /** The URL of one server, Redis or Valkey: `redis://` or `rediss://`. May hold a password: never shown. Left out for a cluster. */
  readonly url?: string | undefined;
  /**
   * The URLs of Redis Sentinels. The server is the master that they name, and `url` has the name under which they watch it in place of the host.
   * May hold a password: never shown.
   */
  readonly sentinels?: readonly string[] | undefined;
  /** The URLs of some nodes of a cluster, in place of `url`. May hold a password: never shown. */
  readonly cluster?: readonly string[] | undefined;
  /** In a cluster, the number of partitions, which never changes. @default 16 */
  readonly partitions?: number | undefined;
  /** The certificate of the authority that has signed those of the servers, in PEM. @default those that Node.js trusts */
  readonly ca?: string | undefined;
  /** Begins every key, so that several services can share a server. @default 'eventferry' */
  readonly prefix: string;
  /** True answers a request once the server has its messages on disk, by WAITAOF. @default false */
  readonly waitForDisk?: boolean | undefined;
  /** The number of replicas that must have the messages of a request before it is answered, by WAIT. @default 0 */
  readonly waitForReplicas?: number | undefined;
}

/** Access to the admin calls, the page and the metrics. */
export interface AdminConfig {
  /**
   * The address of admin calls, page and metrics, which the one of clients then does not serve; health is on both. Read once, at the
   * start. @default that of `listen`
   */
  readonly listen?: ListenConfig | undefined;
  /**
   * Gives access to the admin calls and the page. 16 or more visible ASCII characters. @default none: they answer 403
   */
  readonly token?: string | undefined;
  /** More tokens, each with the name under which its changes are listed. @default none */
  readonly tokens?: readonly AdminTokenConfig[] | undefined;
  /** The address at which browsers reach the page through a proxy. Only its origin counts. @default by the headers of the request */
  readonly publicUrl?: string | undefined;
  /**
   * The number of your own proxies in front. Of `X-Forwarded-Host` and `-Proto` the service believes what these have added, and
   * nothing that a client sent. @default 0
   */
  readonly trustedProxies?: number | undefined;
}

/** A token for the admin calls and the page. */
export interface AdminTokenConfig {
  /** Whose it is. */
  readonly name: string;
  /** 16 or more visible ASCII characters. */
  readonly token: string;
  /** True lets it read and change nothing. @default false */
  readonly readOnly?: boolean | undefined;
}

export interface LogConfig {
  /** Lower levels are not written. @default 'info' */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

export interface MetricsConfig {
  /**
   * Gives access to the metrics and to nothing else. The admin token gives access to them too. 16 or more visible ASCII characters.
   * @default none
   */
  readonly token?: string | undefined;
  /** True gives sources and destinations metrics of their own, false sums them. @default true up to 200 destinations */
  readonly perDestination?: boolean | undefined;
}

/** The bounds of the attempts that the service keeps, of all destinations together. */
export interface HistoryConfig {
  /** The most bytes, messages and answers included. 0 keeps none. @default 1 GB on lmdb, 128 MB on Redis */
  readonly maxBytes?: number | undefined;
  /** The time for which an attempt is kept, in milliseconds. @default 604_800_000, seven days */
  readonly maxAge: number;
}

/** A sender of messages. */
export interface SourceConfig {
  /** 1 to 100 letters, digits, spaces, `.`, `_` and `-`; unique among sources. */
  readonly name: string;
  /** One or more, each unique. Several serve to replace a key without a gap. */
  readonly writeKeys: readonly string[];
  /** The names of the destinations that get what it sends. @default none */
  readonly destinations: readonly string[];
  readonly trackSchema: TrackSchema;
  /** The plan that its events follow. @default none */
  readonly trackingPlan?: TrackingPlanConfig | undefined;
  /** The limit of all of its clients together; beyond it requests are answered 429. Each process counts by itself. @default no limit */
  readonly rateLimit?: RateLimit | undefined;
  /** The limit of each of its write keys. @default no limit */
  readonly rateLimitPerWriteKey?: RateLimit | undefined;
}

/** The long-term rate of messages, and the size of a burst. */
export interface RateLimit {
  readonly messagesPerSecond: number;
  /** After a pause. @default 2500, or a second's worth if that is more */
  readonly burst: number;
}

/** The track events that are forwarded. The others count as received all the same. */
export interface TrackSchema {
  /** When given, only these. @default all */
  readonly allowed?: readonly string[] | undefined;
  /** Not these, even where `allowed` has them. @default none */
  readonly blocked: readonly string[];
}

/** Decides about a message that violates the plan: `report` counts and forwards it, `block` counts it and stops it. */
export type PlanAction = 'allow' | 'report' | 'block';

/** The tracking plan of a source. */
export interface TrackingPlanConfig {
  /** The content of the file. */
  readonly plan: Plan;
  /** @default 'report' */
  readonly onViolation: PlanAction;
  /** For track events that the plan does not have. @default as `onViolation` */
  readonly onUnknownEvent: PlanAction;
}

/** A receiver of messages, with its defaults in place. */
export interface DestinationConfig extends DestinationSettings {
  /** Written like the name of a source, and unique among destinations. Its deliveries are stored under this name. */
  readonly name: string;
  readonly type: 'Webhooks';
  readonly enabled: boolean;
  readonly settle: SettleRule;
  readonly retryFor: number;
  /** True keeps the attempts, to show them on the page and in the API. @default true */
  readonly keepAttempts?: boolean | undefined;
}

export interface AudiencesConfig {
  /** The names of the destinations that get memberships. */
  readonly destinations: readonly string[];
}
