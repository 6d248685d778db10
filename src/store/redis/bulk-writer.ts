import type { Ready } from '../event-store.js';
import { RedisFailedError } from '../store-errors.js';
import { CHANGE, type ChangeAnswer } from './change-script.js';
import type { Partition } from './partition.js';
import type { Replacement } from './replacement.js';
import { BYTES_A_DELIVERY, MOST_DELIVERIES } from './script-bounds.js';
import { laneOf, ScriptCall, setsOf } from './script-call.js';
import { TurnBatch } from './turn-batch.js';

/** Changes wait this long for the answer to those before them, in ms. One script for many changes costs Redis far less than many scripts. */
const WAIT_MS = 50;

/** Writes the new states of events. Changes requested in one turn of the event loop go to Redis together. */
export class BulkWriter {
  readonly #partition: Partition;
  readonly #now: () => number;
  readonly #turn: TurnBatch<Replacement, readonly Ready[] | undefined>;

  /** @param now the time by the clock of this process */
  constructor(partition: Partition, now: () => number) {
    this.#partition = partition;
    this.#now = now;
    const weightOf = ({ was = '', is = '' }: Replacement) => 1 + (was.length + is.length) / BYTES_A_DELIVERY;
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf, waitMs: WAIT_MS }, (all) => this.#replaceAll(all));
  }

  /** Resolves to the deliveries that became ready by the change, or to undefined if the event has changed since it was read; nothing is written then. */
  replace(replacement: Replacement): Promise<readonly Ready[] | undefined> {
    return this.#turn.ask(replacement);
  }

  async #replaceAll(asked: readonly Replacement[]): Promise<(readonly Ready[] | undefined | RedisFailedError)[]> {
    const script = new ScriptCall(this.#partition.keys);
    const groups = groupsOf(asked);
    const call = { now: this.#now(), groups: groups.map((group) => describeGroup(group, script)) };
    const answer = String(await script.run(this.#partition.link, CHANGE, call));
    // The script returns this shape.
    const { isChanged, failed = [], ready = [] } = JSON.parse(answer) as ChangeAnswer;
    const order = groups.flat();
    const written = new Map<Replacement, Ready[] | RedisFailedError>();
    for (const { group, error } of failed) {
      for (const each of groups[group - 1] ?? []) written.set(each, new RedisFailedError(new Error(error)));
    }
    for (const [index, each] of order.entries()) if (isChanged[index] === true) written.set(each, []);
    for (const { change, lane, id, at } of ready) {
      const by = order[change - 1];
      const line = by?.kind.lanes[lane - 1]?.line;
      const told = by && written.get(by);
      if (Array.isArray(told) && line !== undefined) told.push({ url: line.url, key: { id, at: Number(at) } });
    }
    return asked.map((each) => written.get(each));
  }
}

/** Changes of one kind. */
type Group = [Replacement, ...Replacement[]];

function groupsOf(replacements: readonly Replacement[]): Group[] {
  const groups = new Map<string, Group>();
  for (const each of replacements) {
    const group = groups.get(each.kind.name);
    if (group === undefined) groups.set(each.kind.name, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** Describes a group to `CHANGE`: what the events have in common, and lists with one value for each event. */
function describeGroup(changes: Group, script: ScriptCall) {
  const { events, counts, was, waitsIn, isRemoval, leaves, begins, enters, lanes, fields } = changes[0].kind;
  return {
    events: script.key(events),
    counts: script.key(counts),
    was: waitsIn === undefined ? (was ?? changes.map((each) => each.was ?? '')) : undefined,
    waitsIn: waitsIn && setsOf(waitsIn, script),
    isRemoval,
    leaves: leaves.map((key) => script.key(key)),
    begins: begins.map((line) => setsOf(line, script)),
    enters: enters.map((entry) => ({ ...entry, set: script.key(entry.set) })),
    lanes: lanes.map(({ line, isEntered }) => ({ line: line.name, isEntered, ...laneOf(line, script) })),
    fields,
    ids: changes.map(({ id }) => id),
    // Most messages have the same key as their events.
    refs: changes.every(({ id, ref }) => ref === id) ? undefined : changes.map(({ ref }) => ref),
    from: changes.some(({ from }) => from !== undefined) ? changes.map(({ from = false }) => from) : undefined,
    is: isRemoval ? undefined : changes.map(({ is = '' }) => is),
    users: lanes.length === 0 ? undefined : changes.map(({ user = '' }) => user),
    // Each list has one entry for each set, lane or field: the values of all events.
    at: enters.map((_, index) => changes.map(({ at }) => at[index] ?? 0)),
    places: lanes.map((_, index) => changes.map(({ places }) => places[index] ?? 0)),
    by: fields.map((_, index) => changes.map(({ by }) => by[index] ?? 0)),
  };
}
