import type { SettleRule } from '../../delivery/completion-rule.js';
import type { BacklogLimit, DeadLetterLimit } from '../../destination/bounds.js';
import type { WebhookOptions } from '../../destination/webhook.js';

/** What a service is told, with every default in place, every `${NAME}` replaced, and nothing in it that is wrong. */
export interface ServiceConfig {
  readonly listen: ListenConfig;
  readonly store: StoreConfig;
  readonly admin: AdminConfig;
  readonly log: LogConfig;
  readonly sources: readonly SourceConfig[];
  readonly destinations: readonly DestinationConfig[];
  readonly audiences: AudiencesConfig;
}

/** Where collector, admin calls and page are found. Read once, at the start. */
export interface ListenConfig {
  /** An address of this machine, or a name of one; `0.0.0.0` and `::` are all of them. @default '127.0.0.1' */
  readonly host: string;
  /** 0 takes any free port. @default 4100 */
  readonly port: number;
}

/** Where everything is kept. Read once, at the start. @default lmdb in `data`, beside the configuration */
export type StoreConfig = LmdbStoreConfig | RedisStoreConfig;

/** On the disk of one machine. */
export interface LmdbStoreConfig {
  readonly type: 'lmdb';
  /** A folder. In the file it may be relative to the file; here it is absolute. @default 'data' */
  readonly path: string;
}

/** On a server, for several machines. */
export interface RedisStoreConfig {
  readonly type: 'redis';
  /** `redis://` or `rediss://`; Valkey takes the same. May hold a password: never shown. */
  readonly url: string;
  /** Stands before every key, so that several services can share a server. @default 'eventferry' */
  readonly prefix: string;
  /** Whether messages are answered for once the server has them on its disk, by WAITAOF. @default false */
  readonly waitForDisk?: boolean | undefined;
}

/** Who may look into the service and change what it does. */
export interface AdminConfig {
  /**
   * Whoever knows it may use the admin calls and the page. 16 or more visible ASCII characters. @default none: they answer
   * 403
   */
  readonly token?: string | undefined;
}

export interface LogConfig {
  /** The least that is written. @default 'info' */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Somebody who sends. */
export interface SourceConfig {
  /** 1 to 100 letters, digits, spaces, `.`, `_` and `-`; of no other source. */
  readonly name: string;
  /** One or more, each of no other source, so that a key can be changed without a gap. */
  readonly writeKeys: readonly string[];
  /** The names of the destinations that get what it sends. @default none */
  readonly destinations: readonly string[];
  readonly trackSchema: TrackSchema;
  /** What all of its clients together may send; beyond, requests are answered 429. Counted by each process. @default no limit */
  readonly rateLimit?: RateLimit | undefined;
  /** What may be sent with each of its write keys. @default no limit */
  readonly rateLimitPerWriteKey?: RateLimit | undefined;
}

/** How fast may be sent in the long run, and how much at once. */
export interface RateLimit {
  readonly messagesPerSecond: number;
  /** After a pause. @default 2500, or a second's worth if that is more */
  readonly burst: number;
}

/** Which track events are forwarded. What is held back is counted as received all the same. */
export interface TrackSchema {
  /** When given, only these. @default all */
  readonly allowed?: readonly string[] | undefined;
  /** Not these, even where `allowed` has them. @default none */
  readonly blocked: readonly string[];
}

/** Somebody who is sent to. What is not said here is as in `DestinationOptions`. */
export interface DestinationConfig {
  /** As of a source; of no other destination. What is kept for it is kept under this name. */
  readonly name: string;
  readonly type: 'Webhooks';
  /** Whether messages are given to it. What it has from before is delivered all the same. @default true */
  readonly enabled: boolean;
  /** Signs the deliveries to every webhook without a `secret` of its own. @default none: they are not signed */
  readonly sharedSecret?: string | undefined;
  /** 1 to 5, each URL once. */
  readonly webhooks: readonly WebhookOptions[];
  /** @default 'any' */
  readonly settle: SettleRule;
  readonly retryFor?: number | undefined;
  readonly requestTimeout?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly maxBacklog?: BacklogLimit | undefined;
  readonly maxDeadLetters?: DeadLetterLimit | undefined;
  readonly keepAnswers?: boolean | undefined;
  readonly standardHeaders?: boolean | undefined;
  readonly allowCidrs?: readonly string[] | undefined;
  readonly allowLoopback?: boolean | undefined;
}

export interface AudiencesConfig {
  /** The names of the destinations that get memberships. @default all */
  readonly destinations: readonly string[];
}
