import type { Ready } from '../event-store.js';
import { FORGET } from './forget-script.js';
import { KeyNumbers } from './key-numbers.js';
import type { Messages } from './messages.js';
import type { RedisClient, ScriptArgument } from './redis-client.js';
import type { Way } from './redis-keys.js';
import { REPLACE } from './replace-script.js';
import type { LaneChange, Replacement } from './replacement.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import { TurnBatch } from './turn-batch.js';

/** An untried event to be removed. The key of its message's record is the event's own id. */
export interface Forgotten {
  readonly way: Way;
  readonly id: string;
  /** The size of the body. */
  readonly bytes: number;
}

type Change = Forgotten | Replacement;

/** The deliveries that became ready because an event was changed. */
export type Written = readonly Ready[];

const NOTHING: Written = [];

/** How long changes wait for the answer to those before them, in ms. One script for many changes costs Redis far less than many scripts. */
const WAIT_MS = 50;

/** Writes the new states of events. Changes requested in one turn of the event loop go to Redis together. */
export class BulkWriter {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #now: () => number;
  readonly #turn: TurnBatch<Change, Written | undefined>;

  /** @param now the time by the clock of this process */
  constructor(link: RedisClient, messages: Messages, now: () => number) {
    this.#link = link;
    this.#messages = messages;
    this.#now = now;
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, waitMs: WAIT_MS }, async (changes) => {
      const done = new Map<Change, Written>();
      await Promise.all([
        this.#forgetAll(changes.filter(isForgotten), done),
        this.#replaceAll(changes.filter((change) => !isForgotten(change)) as Replacement[], done),
      ]);
      return changes.map((change) => done.get(change));
    });
  }

  /** Resolves to undefined if the event was no longer untried; nothing is removed then. */
  forget(forgotten: Forgotten): Promise<Written | undefined> {
    return this.#turn.ask(forgotten);
  }

  /** Resolves to undefined if the event has changed since it was read; nothing is written then. */
  replace(replacement: Replacement): Promise<Written | undefined> {
    return this.#turn.ask(replacement);
  }

  async #forgetAll(asked: readonly Forgotten[], done: Map<Change, Written>): Promise<void> {
    if (asked.length === 0) return;
    const keys: string[] = [...this.#messages.keys];
    const args: ScriptArgument[] = [];
    const order: Forgotten[] = [];
    for (const [way, group] of groupedBy(asked, (each) => each.way)) {
      keys.push(way.events, way.counts);
      args.push(way.text ?? '', way.lines.length);
      for (const { first, timed, bytes } of way.lines) {
        keys.push(first, timed);
        args.push(bytes);
      }
      args.push(group.length);
      for (const each of group) {
        args.push(each.id, each.bytes);
        order.push(each);
      }
    }
    const others = new Set((await this.#link.run(FORGET, keys, args)) as number[]);
    for (const [index, each] of order.entries()) if (!others.has(index + 1)) done.set(each, NOTHING);
  }

  async #replaceAll(asked: readonly Replacement[], done: Map<Change, Written>): Promise<void> {
    if (asked.length === 0) return;
    const { keys, args, order } = writingOf(asked, new KeyNumbers(this.#messages.keys));
    // The script returns this shape.
    const answer = await this.#link.run(REPLACE, keys, [this.#now(), ...args]);
    const [answers, ready] = answer as [number[], (number | string)[]];
    const written = writtenOf(order, ready);
    for (const [index, each] of order.entries()) if (answers[index] === 1) done.set(each, written.get(each) ?? NOTHING);
  }
}

/**
 * @param ready flat, four values each: the number of the event, the number of its lane, the id that became ready, and
 *   its score in the line
 */
function writtenOf(order: readonly Replacement[], ready: readonly (number | string)[]): Map<Replacement, Written> {
  const written = new Map<Replacement, Written>();
  for (let index = 0; index + 3 < ready.length; index += 4) {
    const by = order[Number(ready[index]) - 1];
    const line = by?.laneChanges[Number(ready[index + 1]) - 1]?.line;
    if (by === undefined || line === undefined) continue;
    const key = { id: String(ready[index + 2]), at: Number(ready[index + 3]) };
    written.set(by, [...(written.get(by) ?? []), { url: line.url, key }]);
  }
  return written;
}

const isForgotten = (change: Change): change is Forgotten => 'way' in change;

function groupedBy<K, V>(values: readonly V[], keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Returns the script's arguments, and the replacements in the order in which the script answers. */
function writingOf(replacements: readonly Replacement[], numbers: KeyNumbers) {
  const groups = groupedBy(replacements, shapeOf);
  const args: ScriptArgument[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { keys, stands, is, leaves, begins, enters, laneChanges, counts } = first;
    args.push(numbers.of(keys.events), numbers.of(keys.counts));
    args.push(numbers.of(stands?.timed), numbers.of(stands?.first), is === undefined ? 1 : 0);
    args.push(leaves.length, ...leaves.map((key) => numbers.of(key)));
    args.push(begins.length, ...begins.flatMap((line) => [numbers.of(line.first), numbers.of(line.timed)]));
    args.push(enters.length, ...enters.flatMap(({ key, kind, name }) => [numbers.of(key), kind, name]));
    args.push(laneChanges.length, ...laneChanges.flatMap((change) => laneArgs(change, numbers)));
    args.push(counts.length, ...counts.map(([field]) => field), group.length);
    for (const each of group) addOwn(args, each);
  }
  return { keys: numbers.all, args, order: [...groups.values()].flat() };
}

function laneArgs({ line, at }: LaneChange, numbers: KeyNumbers): ScriptArgument[] {
  const keys = [line.first, line.behind, line.lanes, line.heads].map((key) => numbers.of(key));
  return [...keys, at === undefined ? 0 : 1, line.name];
}

function addOwn(args: ScriptArgument[], replacement: Replacement): void {
  const { id, ref, was = '', is, enters, laneChanges, user = '', counts } = replacement;
  args.push(id, ref, was);
  if (is !== undefined) args.push(is);
  for (const { at } of enters) args.push(at);
  if (laneChanges.length > 0) args.push(user, ...laneChanges.map(({ at = 0 }) => at));
  for (const [, change] of counts) args.push(change);
}

/** Events with the same text share all arguments of a group. */
const shapeOf = ({ keys, stands, is, leaves, begins, enters, laneChanges, counts }: Replacement): string =>
  [
    ...[keys.events, stands?.first, is === undefined, ...leaves, '', ...begins.map(({ first }) => first), ''],
    ...[...enters.map(({ key }) => key), '', ...laneChanges.flatMap(({ line, at }) => [line.first, at === undefined])],
    ...['', ...counts.map(([field]) => field)],
  ].join();
