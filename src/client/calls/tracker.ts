import type { EventferryError } from '../../base/errors/errors.js';
import type { Catalogue } from '../../events/catalogue.js';
import type { TrackedName, TypedCalls } from '../../events/typed-calls.js';
import type { Alias, MessageTypeName } from '../../protocol/calls.js';
import { messageTypes } from '../../protocol/message-checks.js';
import type { MessageType } from '../../protocol/message-type.js';
import type { ImportSignal } from '../import/import-options.js';
import { mistakeOf } from '../platform/node.js';
import type { Receipt } from '../queue/receipt.js';
import type { Stats } from '../queue/stats.js';
import { type Defaults, mergeDefaults, type ResolvedDefaults, resolveDefaults } from './defaults.js';

/** The user of a message, required by every call but `alias`. TypeScript's error names the last alternative. */
export type Identity = { anonymousId: string } | { userId: string };

/**
 * A message with optional ids from a session, as in `{ ...session, event }`, where `session` is `{ userId?: string; anonymousId?:
 * string | null }`. The types cannot tell whether an id is present, so the call checks it.
 */
export type MaybeIdentified<Call, M> = [keyof M & IdName] extends [never]
  ? never
  : Pick<M, keyof M & IdName> extends Identity
    ? never
    : Call & M;

type IdName = 'userId' | 'anonymousId';

/** The name of the method by which `console.log` shows an object. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The key of a caller's client. It is not a private field, so that accessors work through a Proxy. */
export const CLIENT = Symbol('client');

/** The fields that a caller fills in. */
export interface Filling {
  /** The fields that a child was made with; undefined for the client itself. */
  readonly own: ResolvedDefaults | undefined;
  /** The fields of the client and the child. Where both have a field, the child's wins. */
  readonly all: ResolvedDefaults;
}

/** The parts of a client that a caller needs. */
export interface Client {
  /** The fields that the client fills in for every caller. */
  readonly defaults: ResolvedDefaults;
  readonly calls: {
    take(type: MessageType, message: unknown, filling: Filling): Receipt;
    /** Refuses a call that is made in a wrong way. */
    refuse(error: EventferryError, message: unknown): Receipt;
    readonly isEnabled: boolean;
  };
  flush(options: FlushOptions | undefined): Promise<void>;
  stats(): Stats;
  enable(isEnabled: boolean | undefined): void;
}

export interface FlushOptions {
  /** The longest wait, in milliseconds. @default no limit */
  timeout?: number | undefined;
  /** Ends the wait and rejects with the signal's reason. Waiting messages are still sent. */
  signal?: ImportSignal | undefined;
}

/**
 * The six calls. Each checks its message, queues it and returns at once.
 *
 * Each throws `ValidationError` if the message is wrong, `MessageTooLargeError` if it exceeds 32,000 bytes as JSON, and
 * `ClosedError` after `close()`; then nothing was accepted. With the option `onInvalid: 'report'` none throws: such a message is
 * accepted and lost at once. The receipt, the events and the counters report everything that happens later.
 *
 * Every method works without its object: `const { track } = analytics`.
 */
export class Tracker<Who = unknown, C extends Catalogue = Catalogue> {
  /** @internal */
  readonly [CLIENT]: Client;
  readonly #filling: Filling;

  /** @internal */
  constructor(client: Client, own?: ResolvedDefaults) {
    const { defaults } = client;
    this[CLIENT] = client;
    this.#filling = { own, all: own === undefined ? defaults : mergeDefaults(defaults, own) };
    bind<Tracker<Who, C>>(this, METHODS);
  }

  /** Records who a user is. */
  identify<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['identify'] & Who) | MaybeIdentified<TypedCalls<C, Name>['identify'], M>,
  ): Receipt;
  identify(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.identify, message, extra);
  }

  /** Records what a user did. */
  track<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['track'] & Who) | MaybeIdentified<TypedCalls<C, Name>['track'], M>,
  ): Receipt;
  track(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.track, message, extra);
  }

  /** Records that a user saw a page of a website. */
  page<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['page'] & Who) | MaybeIdentified<TypedCalls<C, Name>['page'], M>,
  ): Receipt;
  page(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.page, message, extra);
  }

  /** Records that a user saw a screen of an app. */
  screen<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['screen'] & Who) | MaybeIdentified<TypedCalls<C, Name>['screen'], M>,
  ): Receipt;
  screen(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.screen, message, extra);
  }

  /** Records that a user belongs to a company, a team or an account. */
  group<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['group'] & Who) | MaybeIdentified<TypedCalls<C, Name>['group'], M>,
  ): Receipt;
  group(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.group, message, extra);
  }

  /** Records that two ids belong to one person. */
  alias(message: Alias): Receipt;
  alias(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.alias, message, extra);
  }

  /**
   * Sends the waiting messages now, and resolves when every message that the client accepted before this call is delivered or
   * lost, including those of its children. Keeps the process alive until then, even during an outage: give a `timeout`, in
   * milliseconds, to limit it.
   *
   * @throws FlushTimeoutError if the timeout passes first; the waiting messages stay in the queue and are still sent
   * @throws the reason of `signal` if it is aborted first; the waiting messages are still sent
   */
  flush(options?: FlushOptions): Promise<void> {
    return this[CLIENT].flush(options);
  }

  /** Returns the counts of what became of the client's messages so far. */
  stats(): Stats {
    return this[CLIENT].stats();
  }

  /**
   * True while calls of the client are sent. While it is false, each call is checked and counted as filtered, waiting messages
   * are still sent, and a journal's folder stays as it is. Setting it on a child sets it for the whole client.
   *
   * @throws OptionError
   */
  get enabled(): boolean {
    return this[CLIENT].calls.isEnabled;
  }

  set enabled(isEnabled: boolean | undefined) {
    this[CLIENT].enable(isEnabled);
  }

  /**
   * Returns the same calls, which fill in these fields if a message lacks them; `context` and `integrations` are merged key by
   * key. A child shares the queue, the counters and the lifetime of its client, and costs next to nothing: make one for each
   * request that your app serves.
   *
   * @throws OptionError
   * @example
   * const user = analytics.child({ userId: 'u1', context: { ip: request.ip } });
   * user.track({ event: 'Order Completed' });
   */
  child(defaults: Defaults): Tracker<unknown, C> {
    const { own } = this.#filling;
    const resolved = resolveDefaults(defaults, "child({ userId: 'u1' })");
    return new Tracker(this[CLIENT], own === undefined ? resolved : mergeDefaults(own, resolved));
  }

  /** Otherwise `console.log` would show each bound method. */
  [INSPECT](): string {
    return 'Tracker {}';
  }

  #call(type: MessageType, message: unknown, extra: readonly unknown[]): Receipt {
    const mistake = typeof message === 'string' || extra.length > 0 ? mistakeOf(type.name, message, extra) : undefined;
    if (mistake !== undefined) return this[CLIENT].calls.refuse(mistake, message);
    return this[CLIENT].calls.take(type, message, this.#filling);
  }
}

const METHODS = [...(Object.keys(messageTypes) as MessageTypeName[]), 'flush', 'stats', 'child'] as const;

/**
 * Makes methods work without their object, and through a Proxy, which has no private fields. If a subclass overrides a method,
 * the override is bound. The methods are assigned, because defining them as not enumerable takes ten times as long.
 */
export function bind<T extends object>(object: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    const method = object[name] as (...args: unknown[]) => unknown;
    object[name] = method.bind(object) as T[keyof T];
  }
}
