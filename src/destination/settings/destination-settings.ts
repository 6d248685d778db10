/** Made by .ci/destination-settings.ts from the schema in destination-schema.ts; do not edit. */

/** The settings of a destination. */
export interface DestinationSettings {
  /** Whether it gets new messages. What it has already is delivered in any case. @default true */
  enabled?: boolean | undefined;
  /** Signs the deliveries to every webhook that has no `secret`. Without either, deliveries are not signed. */
  sharedSecret?: string | undefined;
  /** Where to deliver: 1 to 5 webhooks, each URL once. */
  webhooks: readonly WebhookOptions[];
  /** `any`: each URL is tried, and one that takes the event settles it. `each`: every URL gets it or has a dead letter. @default 'any' */
  settle?: 'any' | 'each' | undefined;
  /** With `user`, each endpoint gets the messages of a user one after another, by `userId` or else by `anonymousId`, while those of other users continue. Without it, only their first attempts begin in order. */
  ordered?: 'user' | undefined;
  /** For how long after its first attempt a delivery is tried again, in milliseconds. @default 14_400_000 */
  retryFor?: number | undefined;
  /** The longest a URL may take to answer, in milliseconds. @default 5_000 */
  requestTimeout?: number | undefined;
  /** The most concurrent requests to one URL. @default 64 */
  concurrency?: number | undefined;
  /** The most that may wait at one URL. Beyond that the oldest become dead letters of the reason `backlog-full`. Without it the store is the limit. */
  maxBacklog?: BacklogLimit | undefined;
  /** How many dead letters are kept. Once a minute, the oldest beyond that are deleted. */
  maxDeadLetters?: DeadLetterLimit | undefined;
  /** Whether the first 2 KB of the last answer that was not a success are kept, to show them with the dead letter. The webhook's secrets in it are masked. @default true */
  keepAnswers?: boolean | undefined;
  /** The signatures that each delivery has, one or several of these: `standard`, the three headers of Standard Webhooks; `x-signature`, the HMAC-SHA1 of the body. Every webhook then needs a secret. Without it, a webhook that has a secret gets `x-signature`. */
  sign?: readonly ('standard' | 'x-signature')[] | undefined;
  /** Private networks that are allowed: `10.20.0.0/16`. @default [] */
  allowCidrs?: readonly string[] | undefined;
  /** Allows URLs on this machine, for development. @default false */
  allowLoopback?: boolean | undefined;
}

/** The options of a webhook. */
export interface WebhookOptions {
  /** A lasting name, unique among the webhooks of the destination. When its URL changes, what waits goes to the new one. Without it, the webhook is known by its URL and its place. */
  id?: string | undefined;
  /** Where to post to: http or https, without credentials, at a public address unless `allowCidrs` or `allowLoopback` says otherwise. */
  url: string;
  /** Sent with every delivery: `{ Authorization: "Bearer …" }`. Headers that are ours are refused. Tokens belong in the environment. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Signs the deliveries to this URL instead of `sharedSecret`. */
  secret?: string | undefined;
  /** How long this URL may take to answer, in milliseconds. Without it, the `requestTimeout` of the destination. */
  requestTimeout?: number | undefined;
}

/** The bounds of `maxBacklog`. */
export interface BacklogLimit {
  /** The most deliveries that wait. Without it there is no limit. */
  events?: number | undefined;
  /** The most bytes of their bodies. Without it there is no limit. */
  bytes?: number | undefined;
  /** The longest that a delivery may wait, in milliseconds, from when it was accepted or first tried. Without it, as long as `retryFor`. */
  age?: number | undefined;
}

/** The bounds of `maxDeadLetters`. */
export interface DeadLetterLimit {
  /** The most events. @default 1_000_000 */
  events?: number | undefined;
  /** The most bytes of their bodies and of the answers kept with them. @default 10_000_000_000 */
  bytes?: number | undefined;
  /** How long they are kept, in milliseconds, from when the event was accepted. @default 2_592_000_000 */
  age?: number | undefined;
}
