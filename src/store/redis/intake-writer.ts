import type { StoredEvent } from '../../delivery/completion-rule.js';
import { laneUser, waitingEntries } from '../lanes.js';
import { addGroup, groupsOf, refusal, settle } from './intake-groups.js';
import { TAKE_IN, TAKE_ONE_IN } from './intake-script.js';
import type { Messages } from './messages.js';
import type { NewDelivery, NewMessage, Outcome, ReceivingStore } from './new-message.js';
import type { RedisClient, ScriptArgument } from './redis-client.js';
import { type Enter, enterOf } from './replacement.js';
import { MOST_TAKEN_IN } from './script-bounds.js';
import { encodeRecord, isUntried, textOf } from './stored-text.js';
import { TurnBatch } from './turn-batch.js';

export interface IntakeSettings {
  /** How long a message's id is remembered, in ms. */
  readonly keepMs: number;
  /** How long a delivery that is claimed at once stays claimed, in ms. */
  readonly leaseMs: number;
  /** The time by this process's clock, in ms. */
  now(): number;
}

/**
 * How long messages wait for the answer to those before them, in ms. One script for many messages costs Redis far less
 * than many scripts.
 */
const WAIT_MS = 50;

/** Stores new messages, many with one script, and remembers their ids so that each is stored once. */
export class IntakeWriter {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #settings: IntakeSettings;
  readonly #turn: TurnBatch<readonly NewMessage[], readonly Outcome[]>;
  /** The last message of each ordered user that has no answer yet. */
  readonly #unanswered = new Map<string, Promise<Outcome>>();

  constructor(link: RedisClient, messages: Messages, settings: IntakeSettings) {
    this.#link = link;
    this.#messages = messages;
    this.#settings = settings;
    this.#turn = new TurnBatch({ most: MOST_TAKEN_IN, weightOf: deliveriesOf, waitMs: WAIT_MS }, async (slices) => {
      const outcomes = await this.#takeAll(slices.flat());
      return slices.map(({ length }) => outcomes.splice(0, length));
    });
  }

  async take(messages: readonly NewMessage[]): Promise<Outcome[]> {
    return (await Promise.all(slicesOf(messages).map((slice) => this.#turn.ask(slice)))).flat();
  }

  /** Most messages need no records for their events, and share one script. Each of the others has a script of its own. */
  async #takeAll(messages: readonly NewMessage[]): Promise<Outcome[]> {
    const isShort = messages.map(isToldInShort);
    const [short, ...full] = await Promise.all([
      this.#takeShort(messages.filter((_, index) => isShort[index])),
      ...messages.filter((_, index) => !isShort[index]).map((message) => this.#takeInOrder(message)),
    ]);
    const outcomes = isShort.map((is) => (is ? short.shift() : full.shift()) ?? 'meets');
    return Promise.all(
      messages.map((message, index) => {
        const outcome = outcomes[index] ?? 'meets';
        return outcome === 'named' ? this.#takeOne(message) : outcome;
      }),
    );
  }

  async #takeShort(messages: readonly NewMessage[]): Promise<(Outcome | 'named')[]> {
    if (messages.length === 0) return [];
    const { leaseMs, keepMs } = this.#settings;
    const keys: string[] = [...this.#messages.keys];
    const groups = groupsOf(messages);
    const unnamed = unnamedIn(groups.flatMap(({ messages: [first] }) => first ?? []));
    const args: ScriptArgument[] = [leaseMs, keepMs];
    addUrls(keys, args, unnamed);
    const reserved = groups.map((group) => addGroup(keys, args, group));
    try {
      // The script returns this shape.
      const [until, ...answers] = (await this.#link.run(TAKE_IN, keys, args)) as [string, ...(string | number)[]];
      nameUrls(unnamed);
      return groups.flatMap((group, index) => settle(group, reserved[index] ?? [], answers, until));
    } catch (error) {
      for (const { leases, count } of reserved.flat()) leases.settle(count, [], { place: 0, until: '' });
      throw error;
    }
  }

  /**
   * An ordered message is sent once the one before it of its user is stored. A command may overtake another: after a slot of a cluster has
   * moved, where a server does not know a script, and where the one before fails, and then this one fails with it.
   */
  #takeInOrder(message: NewMessage): Promise<Outcome> {
    const user = message.deliveries.map(({ event }) => laneUser(event)).find((lane) => lane !== undefined);
    if (user === undefined) return this.#takeOne(message);
    const taken = this.#unanswered.get(user)?.then(() => this.#takeOne(message)) ?? this.#takeOne(message);
    this.#unanswered.set(user, taken);
    const forget = (): void => {
      if (this.#unanswered.get(user) === taken) this.#unanswered.delete(user);
    };
    taken.then(forget, forget);
    return taken;
  }

  async #takeOne({ seen, body, deliveries }: NewMessage): Promise<Outcome> {
    const { keepMs, now } = this.#settings;
    const ref = this.#messages.newRef();
    const keys: string[] = [...this.#messages.keys];
    const args: ScriptArgument[] = [keepMs, now()];
    const unnamed = unnamedIn([{ deliveries }]);
    addUrls(keys, args, unnamed);
    if (seen !== undefined) keys.push(seen);
    const [first] = deliveries;
    args.push(seen === undefined ? 0 : 1, ref, first === undefined ? '' : encodeRecord(first.event, body));
    for (const { store, event, isLoose } of deliveries) {
      const user = laneUser(event);
      const enters = store.keys.entriesOf(event).map((entry) => enterOf(entry, store.keys, user));
      const changes = store.counts.changes(undefined, event);
      const { events, counts, urls, beforeFirst, beforeTimed } = store.keys;
      keys.push(events, counts, urls, ...enters.flatMap(keysOf));
      const text = textOf(event, ref, sharesRecord(event, first?.event) ? body.length : undefined);
      args.push(isLoose ? 1 : 0, event.id, text, beforeFirst, beforeTimed);
      args.push(enters.length, ...enters.flatMap((enter) => argsOf(enter, user)));
      args.push(changes.length, ...changes.flat());
    }
    const answer = String(await this.#link.run(TAKE_ONE_IN, keys, args));
    nameUrls(unnamed);
    if (answer[0] !== 't') return refusal(answer);
    const isNew = [...answer.slice(1, 1 + deliveries.length)].map((flag) => flag === 'n');
    tellReady(
      deliveries.filter((_, index) => isNew[index]),
      answer.slice(1 + deliveries.length),
    );
    return isNew;
  }
}

const keysOf = ({ key, line }: Enter): readonly string[] =>
  line === undefined ? [key] : [key, line.behind, line.lanes, line.heads];

const argsOf = ({ at, kind, name }: Enter, user: string | undefined): ScriptArgument[] =>
  kind === 'l' ? [at, kind, name, user ?? ''] : [at, kind, name];

/** @param flags a digit for each lane that a delivery entered: `1` if it is ready */
function tellReady(deliveries: readonly NewDelivery[], flags: string): void {
  let next = 0;
  for (const { store, event } of deliveries) {
    if (laneUser(event) === undefined) continue;
    const entries = waitingEntries(event).filter(({ stage }) => stage === 'first');
    for (const { url, at, id } of entries) if (flags[next++] === '1') store.tellReady([{ url, key: { at, id } }]);
  }
}

/** Whether the message's record and the URLs say everything about each delivery's event. */
function isToldInShort({ body, deliveries }: NewMessage): boolean {
  const first = deliveries[0]?.event;
  return deliveries.every(
    ({ event, isLoose }) =>
      event.id === first?.id &&
      event.bytes === body.length &&
      isUntried(event) &&
      laneUser(event) === undefined &&
      sharesRecord(event, first) &&
      // For a single delivery, leaving it out and refusing the message have the same effect.
      (!isLoose || deliveries.length === 1),
  );
}

/** Whether the message's record, made from its first event, is true of this event too. */
function sharesRecord(event: StoredEvent, first: StoredEvent | undefined): boolean {
  if (first === undefined) return false;
  const { type, acceptedAt, source, trace, user, epoch } = event;
  return (
    type === first.type &&
    acceptedAt === first.acceptedAt &&
    source === first.source &&
    trace === first.trace &&
    user === first.user &&
    epoch === first.epoch
  );
}

interface Unnamed {
  readonly store: ReceivingStore;
  readonly urls: readonly string[];
}

/** The URLs of these messages that still have to be written to Redis. */
const unnamedIn = (messages: readonly Pick<NewMessage, 'deliveries'>[]): Unnamed[] =>
  messages.flatMap(({ deliveries }) =>
    deliveries.flatMap(({ store, event }) => {
      const urls = store.unnamedUrls(event);
      return urls.length === 0 ? [] : { store, urls };
    }),
  );

function addUrls(keys: string[], args: ScriptArgument[], unnamed: readonly Unnamed[]): void {
  const lines = unnamed.flatMap(({ store, urls }) => urls.map((url) => ({ store, url })));
  args.push(lines.length);
  for (const { store, url } of lines) {
    keys.push(store.keys.urls);
    args.push(store.keys.digest(url), url);
  }
}

function nameUrls(unnamed: readonly Unnamed[]): void {
  for (const { store, urls } of unnamed) store.nameUrls(urls);
}

const deliveriesOf = (messages: readonly NewMessage[]): number =>
  messages.reduce((sum, { deliveries }) => sum + Math.max(1, deliveries.length), 0);

function slicesOf(messages: readonly NewMessage[]): NewMessage[][] {
  const slices: NewMessage[][] = [];
  let room = 0;
  for (const message of messages) {
    const weight = Math.max(1, message.deliveries.length);
    if (weight > room) {
      slices.push([]);
      room = MOST_TAKEN_IN;
    }
    slices.at(-1)?.push(message);
    room -= weight;
  }
  return slices;
}
