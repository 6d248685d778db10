import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { FirstAttempts } from './first-attempts.js';
import { TAKE_IN } from './intake-script.js';
import { KeyNumbers } from './key-numbers.js';
import type { Messages } from './messages.js';
import type { RedisClient, ScriptArgument } from './redis-client.js';
import type { RedisCounts } from './redis-counts.js';
import type { Line, RedisKeys } from './redis-keys.js';
import { encodeRecord, isShort, type Read, textOf } from './stored-text.js';

/** A message that comes in. */
export interface NewMessage<S extends ReceivingStore = ReceivingStore> {
  /** The key under which its id is remembered, where it has one. */
  readonly seen: string | undefined;
  readonly body: Uint8Array;
  readonly deliveries: readonly NewDelivery<S>[];
}

/** What is asked of the store of a destination. */
export interface ReceivingStore {
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  firstAttempts(url: string): FirstAttempts;
  /** The event stands in the store like that, and this process has claimed it. */
  note(read: Read): void;
  /** Those of the event's URLs that are to be written down. */
  unnamedUrls(event: StoredEvent): readonly string[];
  /** They are written down. */
  nameUrls(urls: readonly string[]): void;
}

export interface NewDelivery<S extends ReceivingStore = ReceivingStore> {
  readonly store: S;
  readonly event: StoredEvent;
  /** Whether it is left out where the destination has an event of that id; otherwise nothing of the message is taken in then. */
  readonly isLoose: boolean;
}

/**
 * What became of a message: for each delivery whether it is new; or the id was seen before, or is being stored by a process
 * of the version before, or meets other events.
 */
export type Outcome = readonly boolean[] | 'known' | 'claimed' | 'meets';

export interface IntakeSettings {
  /** For how long an id is remembered, in ms. */
  readonly keepMs: number;
  /** For how long what goes out at once is claimed, in ms. */
  readonly leaseMs: number;
  /** Stands before the keys by which processes of the version before say that they are there. */
  readonly presence: string;
}

/** About how many deliveries one script takes in: Redis does nothing else meanwhile. */
const MOST = 256;

interface Asked {
  readonly message: NewMessage;
  readonly ref: string;
  readonly deliveries: readonly AskedDelivery[];
}

interface AskedDelivery {
  readonly delivery: NewDelivery;
  readonly read: Read;
  readonly lines: readonly Line[];
  /** The first attempts that are to be claimed, room for them being kept; in the place of a line that is not, undefined. */
  readonly wanted: readonly (FirstAttempts | undefined)[];
  /** The URLs that are written down. */
  readonly named: readonly string[];
  readonly changes: readonly (readonly [field: string, change: number])[];
  /** What its text has behind the ref, where that, and the message, say all. */
  readonly shortUrls: string;
}

/** Takes messages in: one script for many, and each in it once. */
export class IntakeWriter {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #settings: IntakeSettings;

  constructor(link: RedisClient, messages: Messages, settings: IntakeSettings) {
    this.#link = link;
    this.#messages = messages;
    this.#settings = settings;
  }

  async take(messages: readonly NewMessage[]): Promise<Outcome[]> {
    return (await Promise.all(slicesOf(messages).map((slice) => this.#takeSlice(slice)))).flat();
  }

  async #takeSlice(messages: readonly NewMessage[]): Promise<Outcome[]> {
    const asked = messages.map((message) => this.#ask(message));
    try {
      const { keys, args } = this.#writingOf(asked);
      // As the script gives it.
      const [until, ...outcomes] = (await this.#link.run(TAKE_IN, keys, args)) as [string, ...string[]];
      return asked.map((each, index) => settle(each, outcomes[index] ?? '', until));
    } catch (error) {
      for (const each of asked) settle(each, '', '');
      throw error;
    }
  }

  #ask(message: NewMessage): Asked {
    const ref = this.#messages.newRef();
    return { message, ref, deliveries: message.deliveries.map((delivery) => askFor(delivery, message, ref)) };
  }

  #writingOf(asked: readonly Asked[]): { keys: readonly string[]; args: ScriptArgument[] } {
    const { leaseMs, keepMs, presence } = this.#settings;
    const keys = new KeyNumbers([this.#messages.records, this.#messages.holders]);
    const urls: ScriptArgument[] = [];
    for (const { delivery, named } of asked.flatMap(({ deliveries }) => deliveries)) {
      const { store } = delivery;
      for (const url of named) urls.push(keys.of(store.keys.urls), store.keys.digest(url), url);
    }
    const args: ScriptArgument[] = [leaseMs, keepMs, presence, urls.length / 3, ...urls];
    for (const group of groupsOf(asked)) {
      const deliveries = group[0]?.deliveries ?? [];
      args.push(deliveries.length);
      for (const each of deliveries) addWay(args, keys, each);
      args.push(group.length);
      for (const each of group) addMessage(args, keys, each);
    }
    return { keys: keys.all, args };
  }
}

function askFor(delivery: NewDelivery, message: NewMessage, ref: string): AskedDelivery {
  const { store, event } = delivery;
  const text = textOf(event, ref, sharesRecord(event, message) ? message.body.length : undefined);
  const lines = store.keys.linesOf(event);
  const wanted = lines.map(({ url }) => {
    const firsts = url === undefined ? undefined : store.firstAttempts(url);
    return firsts?.reserve() === true ? firsts : undefined;
  });
  const changes = store.counts.changes(undefined, event);
  const isShared = isShort(text) && event.id === message.deliveries[0]?.event.id;
  const shortUrls = isShared ? text.slice(ref.length + 4, -1) : '';
  return { delivery, read: { event, ref, text }, lines, wanted, named: store.unnamedUrls(event), changes, shortUrls };
}

/** Most messages of a source go the same ways, which are told once: every argument costs Redis about as much as a command. */
function groupsOf(asked: readonly Asked[]): Asked[][] {
  const groups: Asked[][] = [];
  for (const each of asked) {
    const group = groups.at(-1);
    if (group?.[0] !== undefined && goSameWays(group[0], each)) group.push(each);
    else groups.push([each]);
  }
  return groups;
}

const goSameWays = (one: Asked, other: Asked): boolean =>
  one.deliveries.length === other.deliveries.length &&
  one.deliveries.every(({ delivery, shortUrls, changes }, index) => {
    const its = other.deliveries[index];
    const isSame = its?.delivery.store === delivery.store && its.delivery.isLoose === delivery.isLoose;
    return isSame && shortUrls !== '' && its.shortUrls === shortUrls && its.changes.length === changes.length;
  });

function addWay(
  args: ScriptArgument[],
  keys: KeyNumbers,
  { delivery, lines, changes, shortUrls }: AskedDelivery,
): void {
  const { store, isLoose } = delivery;
  args.push(keys.of(store.keys.events), keys.of(store.keys.counts), isLoose ? 1 : 0, shortUrls, lines.length);
  for (const { key, claimed } of lines) args.push(keys.of(key), keys.of(claimed));
  args.push(changes.length);
  for (const [field] of changes) args.push(field);
}

function addMessage(args: ScriptArgument[], keys: KeyNumbers, { message, ref, deliveries }: Asked): void {
  const event = message.deliveries[0]?.event;
  const record = event === undefined ? '' : encodeRecord(event, message.body);
  const wanted = deliveries.flatMap((each) => each.wanted.map((firsts) => (firsts === undefined ? '0' : '1')));
  args.push(keys.of(message.seen), ref, record, wanted.join(''));
  args.push(event?.id ?? '', event?.acceptedAt ?? 0, message.body.length);
  for (const { read, lines, changes, shortUrls } of deliveries) {
    if (shortUrls !== '') continue;
    args.push(read.event.id, read.text);
    for (const { at } of lines) args.push(at);
    for (const [, change] of changes) args.push(change);
  }
}

/** Tells the stores what was claimed for them, and lets go of the room that was kept for all else. */
function settle({ deliveries }: Asked, outcome: string, until: string): Outcome {
  const [status, ...flags] = outcome;
  const isNew = deliveries.map((each) => settleDelivery(each, flags, until));
  if (status === 't') return isNew;
  return status === 'k' ? 'known' : status === 'c' ? 'claimed' : 'meets';
}

/** Takes the delivery's own from the beginning of the flags, and says whether it is new. */
function settleDelivery({ delivery, read, lines, wanted, named }: AskedDelivery, flags: string[], until: string) {
  const isNew = flags.shift() === 'n';
  const claimed = isNew ? flags.splice(0, lines.length) : [];
  for (const [index, firsts] of wanted.entries()) {
    const isClaimed = claimed[index] === '1';
    firsts?.settle(isClaimed ? { id: read.event.id, at: lines[index]?.at ?? 0, until } : undefined);
  }
  if (claimed.includes('1')) delivery.store.note(read);
  if (isNew) delivery.store.nameUrls(named);
  return isNew;
}

/** Whether the record of the message, which is that of its first event, says of the event what it says of itself. */
function sharesRecord(event: StoredEvent, { deliveries: [first] }: NewMessage): boolean {
  const shared = ['type', 'acceptedAt', 'source', 'trace'] as const;
  return first !== undefined && shared.every((field) => event[field] === first.event[field]);
}

function slicesOf(messages: readonly NewMessage[]): NewMessage[][] {
  const slices: NewMessage[][] = [];
  let room = 0;
  for (const message of messages) {
    if (room <= 0) {
      slices.push([]);
      room = MOST;
    }
    slices.at(-1)?.push(message);
    room -= Math.max(1, message.deliveries.length);
  }
  return slices;
}
