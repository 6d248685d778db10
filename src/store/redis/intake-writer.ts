import { laneUser } from '../queue-key.js';
import { describeGroup, groupsOf, type IntakeGroup, settle } from './intake-groups.js';
import { TAKE_IN, type TakeInAnswer } from './intake-script.js';
import type { IntakeOutcome, NewMessage } from './new-message.js';
import type { Partition } from './partition.js';
import { BYTES_A_DELIVERY, MOST_DELIVERIES, partsByWeight } from './script-bounds.js';
import { ScriptCall } from './script-call.js';
import { TurnBatch } from './turn-batch.js';

export interface IntakeSettings {
  /** How long a message's id is remembered, in ms. */
  readonly keepMs: number;
  /** How long a delivery that is claimed immediately stays claimed, in ms. */
  readonly leaseMs: number;
}

/**
 * How long messages wait for the previous answer, in ms. One script for many messages costs Redis far less than a script for
 * each.
 */
const WAIT_MS = 50;

/** Stores new messages, many with one script, and remembers their ids so that each is stored once. */
export class IntakeWriter {
  readonly #partition: Partition;
  readonly #settings: IntakeSettings;
  readonly #turn: TurnBatch<readonly NewMessage[], readonly IntakeOutcome[]>;
  /** The latest unanswered messages of each ordered user. */
  readonly #unanswered = new Map<string, Promise<unknown>>();

  constructor(partition: Partition, settings: IntakeSettings) {
    this.#partition = partition;
    this.#settings = settings;
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf: sumOfWeights, waitMs: WAIT_MS }, async (slices) => {
      const outcomes = await this.#takeAll(slices.flat());
      return slices.map(({ length }) => outcomes.splice(0, length));
    });
  }

  async take(messages: readonly NewMessage[]): Promise<IntakeOutcome[]> {
    const slices = partsByWeight(messages, MOST_DELIVERIES, weightOf);
    return (await Promise.all(slices.map((slice) => this.#takeInOrder(slice)))).flat();
  }

  /**
   * Sends messages once the earlier messages of their ordered users are stored. Without this, commands could overtake each other:
   * after a slot of a cluster has moved, when a server does not know the script, or when an earlier command fails. If the earlier
   * messages fail, the later ones fail too.
   */
  #takeInOrder(messages: readonly NewMessage[]): Promise<readonly IntakeOutcome[]> {
    const users = new Set(messages.flatMap(orderedUser));
    if (users.size === 0) return this.#turn.ask(messages);
    const before = [...users].flatMap((user) => this.#unanswered.get(user) ?? []);
    const taken = Promise.all(before).then(() => this.#turn.ask(messages));
    for (const user of users) this.#unanswered.set(user, taken);
    const forget = (): void => {
      for (const user of users) if (this.#unanswered.get(user) === taken) this.#unanswered.delete(user);
    };
    taken.then(forget, forget);
    return taken;
  }

  /** @param isNamed true if an id of the messages is already used by another message or event */
  async #takeAll(messages: readonly NewMessage[], isNamed = false): Promise<IntakeOutcome[]> {
    const outcomes = await this.#takeGroups(isNamed ? await this.#namedGroupsOf(messages) : groupsOf(messages));
    const named = messages.filter((_, index) => outcomes[index] === 'named');
    const ends: IntakeOutcome[] = [];
    for (const some of partsByWeight(named, MOST_DELIVERIES, weightOfNamed)) {
      // A message that was already sent as named comes here again only if a new URL has become known in the meantime.
      ends.push(...(await this.#takeAll(some, true)));
    }
    return outcomes.flatMap((outcome) => (outcome === 'named' ? ends.splice(0, 1) : [outcome]));
  }

  /** Describes each message under a key of its own, after all URLs at which its events may wait have been read. */
  async #namedGroupsOf(messages: readonly NewMessage[]): Promise<IntakeGroup[]> {
    const stores = new Set(messages.flatMap(({ deliveries }) => deliveries.map(({ store }) => store)));
    await Promise.all([...stores].map((store) => store.readUrls()));
    const groups = messages.flatMap((message) => groupsOf([message]));
    return groups.map((group) => ({ ...group, ref: this.#partition.newRef() }));
  }

  async #takeGroups(groups: readonly IntakeGroup[]): Promise<(IntakeOutcome | 'named')[]> {
    const script = new ScriptCall(this.#partition.keys);
    const described = groups.map((group) => describeGroup(group, script));
    const call = { ...this.#settings, groups: described.map((each) => each.described) };
    try {
      // The script returns this shape.
      const answer = JSON.parse(String(await script.run(this.#partition.link, TAKE_IN, call))) as TakeInAnswer;
      return groups.flatMap((group, index) =>
        settle(group, described[index]?.reserved ?? [], answer.groups[index] ?? { statuses: '' }, answer.leaseEnd),
      );
    } catch (error) {
      for (const { leases, count } of described.flatMap(({ reserved }) => reserved)) {
        leases.settle(count, [], { place: 0, until: '' });
      }
      throw error;
    }
  }
}

/** The user whose order the message must keep, if any destination is ordered. */
const orderedUser = ({ deliveries }: NewMessage): string | [] =>
  deliveries.map(({ event }) => laneUser(event)).find((user) => user !== undefined) ?? [];

/** The weight of a message whose id is already used, which is looked for at all URLs of its destinations. */
const weightOfNamed = ({ deliveries }: NewMessage): number =>
  deliveries.reduce((sum, { store }) => sum + 1 + store.keys.lines.length, LEAST_WEIGHT);

/** The weight of a message and its body, which cost Redis a little more than a delivery. */
const LEAST_WEIGHT = 1.25;

/** Describing lines costs most. Deliveries to the same lines as those of the message before are described once, unless ordered. */
function weightOf({ body, deliveries }: NewMessage, before: NewMessage | undefined): number {
  const isLikeBefore =
    deliveries.length === before?.deliveries.length &&
    deliveries.every(({ store, event }, index) => {
      const other = before.deliveries[index];
      return store === other?.store && event.acceptedAt === other.event.acceptedAt && !event.isOrdered;
    });
  return Math.max(LEAST_WEIGHT, deliveries.length / (isLikeBefore ? 4 : 1)) + body.length / BYTES_A_DELIVERY;
}

const sumOfWeights = (messages: readonly NewMessage[]): number =>
  messages.reduce((sum, message, index) => sum + weightOf(message, messages[index - 1]), 0);
