import { FORGET } from './forget-script.js';
import { KeyNumbers } from './key-numbers.js';
import type { Messages } from './messages.js';
import type { RedisClient, ScriptArgument } from './redis-client.js';
import type { Way } from './redis-keys.js';
import { REPLACE } from './replace-script.js';
import type { Replacement } from './replacement.js';
import { TurnBatch } from './turn-batch.js';

/** An event that has not been tried, whose message is known by its id, and which is to be forgotten. */
export interface Forgotten {
  readonly way: Way;
  readonly id: string;
}

type Change = Forgotten | Replacement;

/** The most that one script changes: Redis does nothing else meanwhile. */
const MOST = 500;

/** For how long changes wait for the answer to those before them, in ms: one script for many costs Redis far less than many. */
const WAIT_MS = 50;

/** Writes what becomes of events: all that is asked for in one turn goes to Redis together. */
export class BulkWriter {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #turn: TurnBatch<Change, boolean>;

  constructor(link: RedisClient, messages: Messages) {
    this.#link = link;
    this.#messages = messages;
    this.#turn = new TurnBatch({ most: MOST, waitMs: WAIT_MS }, async (changes) => {
      const done = new Set<Change>();
      await Promise.all([
        this.#forgetAll(changes.filter(isForgotten), done),
        this.#replaceAll(changes.filter((change) => !isForgotten(change)) as Replacement[], done),
      ]);
      return changes.map((change) => done.has(change));
    });
  }

  /** Says whether the event was still untried. */
  forget(forgotten: Forgotten): Promise<boolean> {
    return this.#turn.ask(forgotten);
  }

  /** Says whether the event was still as it was read. */
  replace(replacement: Replacement): Promise<boolean> {
    return this.#turn.ask(replacement);
  }

  async #forgetAll(asked: readonly Forgotten[], done: Set<Change>): Promise<void> {
    if (asked.length === 0) return;
    const keys = [this.#messages.records, this.#messages.holders];
    const args: ScriptArgument[] = [];
    const order: Forgotten[] = [];
    for (const [way, group] of groupedBy(asked, (each) => each.way)) {
      keys.push(way.events, way.counts);
      args.push(way.text ?? '', way.lines.length);
      for (const { claimed, index, bytes } of way.lines) {
        keys.push(claimed, index);
        args.push(bytes);
      }
      args.push(group.length);
      for (const each of group) {
        args.push(each.id);
        order.push(each);
      }
    }
    const others = new Set((await this.#link.run(FORGET, keys, args)) as number[]);
    for (const [index, each] of order.entries()) if (!others.has(index + 1)) done.add(each);
  }

  async #replaceAll(asked: readonly Replacement[], done: Set<Change>): Promise<void> {
    if (asked.length === 0) return;
    const { keys, args, order } = writingOf(asked, new KeyNumbers([this.#messages.records, this.#messages.holders]));
    const answers = (await this.#link.run(REPLACE, keys, args)) as number[];
    for (const [index, each] of order.entries()) if (answers[index] === 1) done.add(each);
  }
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

/** @returns the replacements in the order in which the script answers for them as well. */
function writingOf(replacements: readonly Replacement[], numbers: KeyNumbers) {
  const groups = groupedBy(replacements, shapeOf);
  const args: ScriptArgument[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { keys, stands, is, leaves, begins, enters, counts } = first;
    args.push(numbers.of(keys.events), numbers.of(keys.bodies), numbers.of(keys.counts));
    args.push(numbers.of(stands?.claimed), numbers.of(stands?.index), is === undefined ? 1 : 0);
    args.push(leaves.length, ...leaves.map((key) => numbers.of(key)));
    args.push(begins.length);
    for (const { claimed, index, bytes } of begins) args.push(numbers.of(claimed), numbers.of(index), bytes);
    args.push(enters.length, ...enters.map(({ key }) => numbers.of(key)));
    args.push(counts.length, ...counts.map(([field]) => field), group.length);
    for (const each of group) addOwn(args, each);
  }
  return { keys: numbers.all, args, order: [...groups.values()].flat() };
}

function addOwn(args: ScriptArgument[], { id, ref = '', was = '', is, bytes, enters, counts }: Replacement): void {
  args.push(id, ref, was, bytes);
  if (is !== undefined) args.push(is);
  for (const { at } of enters) args.push(at);
  for (const [, change] of counts) args.push(change);
}

/** What events of one group share. */
const shapeOf = ({ keys, stands, is, leaves, begins, enters, counts }: Replacement): string =>
  [
    ...[keys.events, stands?.index, is === undefined, ...leaves, '', ...begins.map(({ index }) => index), ''],
    ...[...enters.map(({ key }) => key), '', ...counts.map(([field]) => field)],
  ].join();
