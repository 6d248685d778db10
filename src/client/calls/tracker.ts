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

/** The user of a message: every call but `alias` needs one. TypeScript names what is missing by the last. */
export type Identity = { anonymousId: string } | { userId: string };

/**
 * A message with the ids of a session, of which the types cannot say whether one is there: `{ ...session, event }`, where
 * `session` is `{ userId?: string; anonymousId?: string | null }`. Whether one is there is checked at the call.
 */
export type MaybeIdentified<Call, M> = [keyof M & IdName] extends [never]
  ? never
  : Pick<M, keyof M & IdName> extends Identity
    ? never
    : Call & M;

type IdName = 'userId' | 'anonymousId';

/** The name of the method by which `console.log` shows an object. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The client of a caller. No private field, so that accessors work through a Proxy. */
export const CLIENT = Symbol('client');

/** The fields that a caller fills in. */
export interface Filling {
  /** The fields that a child was made with; undefined for the client itself. */
  readonly own: ResolvedDefaults | undefined;
  /** The same, over what the client fills in. */
  readonly all: ResolvedDefaults;
}

/** The parts of a client that a caller needs. */
export interface Client {
  /** The fields that the client fills in for every caller. */
  readonly defaults: ResolvedDefaults;
  readonly calls: {
    take(type: MessageType, message: unknown, filling: Filling): Receipt;
    /** Refuses a call that is wrong by the way it is made. */
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
  /** Ends the wait, with its reason as the error. What waits is still sent. */
  signal?: ImportSignal | undefined;
}

/**
 * The six calls. Each checks its message, queues it and returns at once.
 *
 * Each throws `ValidationError` when the message is wrong, `MessageTooLargeError` when it is over 32,000 bytes as JSON, and
 * `ClosedError` after `close()`; then nothing was accepted. With the option `onInvalid: 'report'` none throws: such a message is
 * accepted and lost at once. All that happens later is told by the receipt, the events and the counters.
 *
 * Every method may be taken off its object and called alone: `const { track } = analytics`.
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

  /** Tells who a user is. */
  identify<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['identify'] & Who) | MaybeIdentified<TypedCalls<C, Name>['identify'], M>,
  ): Receipt;
  identify(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.identify, message, extra);
  }

  /** Tells what a user did. */
  track<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['track'] & Who) | MaybeIdentified<TypedCalls<C, Name>['track'], M>,
  ): Receipt;
  track(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.track, message, extra);
  }

  /** Tells that a user saw a page of a website. */
  page<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['page'] & Who) | MaybeIdentified<TypedCalls<C, Name>['page'], M>,
  ): Receipt;
  page(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.page, message, extra);
  }

  /** Tells that a user saw a screen of an app. */
  screen<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['screen'] & Who) | MaybeIdentified<TypedCalls<C, Name>['screen'], M>,
  ): Receipt;
  screen(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.screen, message, extra);
  }

  /** Tells that a user belongs to a company, a team or an account. */
  group<Name extends TrackedName<C>, M>(
    message: (TypedCalls<C, Name>['group'] & Who) | MaybeIdentified<TypedCalls<C, Name>['group'], M>,
  ): Receipt;
  group(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.group, message, extra);
  }

  /** Tells that two ids are one person. */
  alias(message: Alias): Receipt;
  alias(message: unknown, ...extra: unknown[]): Receipt {
    return this.#call(messageTypes.alias, message, extra);
  }

  /**
   * Sends what waits now, and resolves when every message accepted before this call is delivered or lost, those of other
   * callers of the same client too. Keeps the process alive until then, through an outage too: give a `timeout`, in
   * milliseconds, to bound it.
   *
   * @throws FlushTimeoutError when the timeout passes first; what waits still waits and will still be sent
   * @throws the reason of `signal` when that is aborted first; the same holds
   */
  flush(options?: FlushOptions): Promise<void> {
    return this[CLIENT].flush(options);
  }

  /** Counts what became of every message of the client so far. */
  stats(): Stats {
    return this[CLIENT].stats();
  }

  /**
   * True while calls of the client are sent. While it is false, each call is checked and counted as filtered, what waits is sent all the
   * same, and the folder of a journal stays as it is. Setting it on a child sets it for the whole client.
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
   * The same calls, with these fields filled in where a message does not have them; `context` and `integrations` are merged
   * key by key. A child shares the queue, the counters and the end of its client, and costs next to nothing: make one for
   * each request your app serves.
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

  /** Without it the bound methods would be shown, one by one. */
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
 * Makes methods work without their object, and through a Proxy, which has no private fields. A method that a subclass
 * replaces is bound as it has it. Assigned, as defining them as not enumerable takes ten times as long.
 */
export function bind<T extends object>(object: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    const method = object[name] as (...args: unknown[]) => unknown;
    object[name] = method.bind(object) as T[keyof T];
  }
}
