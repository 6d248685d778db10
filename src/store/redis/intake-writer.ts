import type { StoredEvent } from '../../delivery/completion-rule.js';
import { laneUser } from '../lanes.js';
import { describeGroup, describeLines, describeMessages, failure, groupsOf, refusal, settle } from './intake-groups.js';
import { TAKE_IN, type TakeInAnswer, type TakeInCall, type TakeInSingle } from './intake-script.js';
import type { Messages } from './messages.js';
import type { NewDelivery, NewMessage, Outcome, ReceivingStore } from './new-message.js';
import type { RedisClient } from './redis-client.js';
import type { DeliveryKeys } from './redis-keys.js';
import { MOST_DELIVERIES, partsByWeight } from './script-bounds.js';
import { laneOf, ScriptCall, setsOf } from './script-call.js';
import { encodeRecord, textOf } from './stored-text.js';
import { TurnBatch } from './turn-batch.js';

export interface IntakeSettings {
  /** How long a message's id is remembered, in ms. */
  readonly keepMs: number;
  /** How long a delivery that is claimed at once stays claimed, in ms. */
  readonly leaseMs: number;
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
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf: sumOfWeights, waitMs: WAIT_MS }, async (slices) => {
      const outcomes = await this.#takeAll(slices.flat());
      return slices.map(({ length }) => outcomes.splice(0, length));
    });
  }

  async take(messages: readonly NewMessage[]): Promise<Outcome[]> {
    const slices = partsByWeight(messages, MOST_DELIVERIES, weightOf);
    return (await Promise.all(slices.map((slice) => this.#turn.ask(slice)))).flat();
  }

  /** Most messages share one script. One whose events need records that only they have is alone in a script. */
  async #takeAll(messages: readonly NewMessage[]): Promise<Outcome[]> {
    const mayShare = messages.map(mayShareScript);
    const [together, ...alone] = await Promise.all([
      this.#takeTogether(messages.filter((_, index) => mayShare[index])),
      ...messages.filter((_, index) => !mayShare[index]).map((message) => this.#takeInOrder(message)),
    ]);
    const outcomes = mayShare.map((may) => (may ? together.shift() : alone.shift()) ?? 'meets');
    return Promise.all(
      messages.map((message, index) => {
        const outcome = outcomes[index] ?? 'meets';
        return outcome === 'named' ? this.#takeAlone(message, true) : outcome;
      }),
    );
  }

  async #takeTogether(messages: readonly NewMessage[]): Promise<(Outcome | 'named')[]> {
    if (messages.length === 0) return [];
    const script = new ScriptCall(this.#messages.keys);
    const groups = groupsOf(messages);
    const unnamed = unnamedIn(groups.flatMap(({ messages: [first] }) => first ?? []));
    const described = groups.map((group) => describeGroup(group, script));
    try {
      const groupCalls = described.map((each) => each.described);
      const answer = await this.#run(script, unnamed, groupCalls);
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

  /**
   * An ordered message is sent once the one before it of its user is stored. A command may overtake another: after a slot of a cluster has
   * moved, where a server does not know a script, and where the one before fails, and then this one fails with it.
   */
  #takeInOrder(message: NewMessage): Promise<Outcome> {
    const user = message.deliveries.map(({ event }) => laneUser(event)).find((lane) => lane !== undefined);
    if (user === undefined) return this.#takeAlone(message, true);
    const taken = this.#unanswered.get(user)?.then(() => this.#takeAlone(message)) ?? this.#takeAlone(message);
    this.#unanswered.set(user, taken);
    const forget = (): void => {
      if (this.#unanswered.get(user) === taken) this.#unanswered.delete(user);
    };
    taken.then(forget, forget);
    return taken;
  }

  /** @param withUrls whether the script has to look for events of these ids at all URLs, as another message has the id as its key */
  async #takeAlone(message: NewMessage, withUrls = false): Promise<Outcome> {
    const { deliveries } = message;
    if (withUrls) await Promise.all(deliveries.map(({ store }) => store.readUrls()));
    const script = new ScriptCall(this.#messages.keys);
    const ref = this.#messages.newRef();
    const singles = deliveries.map((each) => this.#describeSingle(each, message, script, withUrls));
    const events = deliveries.map(({ event }) => event);
    const group = {
      ...describeMessages([message], script),
      at: events[0]?.acceptedAt ?? 0,
      ref,
      events: deliveries.map(({ store }) => script.key(store.keys.events)),
      counts: deliveries.map(({ store }) => script.key(store.keys.counts)),
      texts: events.map((event, index) => textOf(event, singles[index]?.own?.ref ?? ref)),
      lines: describeLines(deliveries.map(keysOf), script),
      singles,
    };
    const { groups } = await this.#run(script, withUrls ? knownOf(deliveries) : unnamedIn([message]), [group]);
    const [{ statuses = '', error = undefined, isNew = [], isReady = [] } = {}] = groups;
    if (error !== undefined) return failure(error);
    if (statuses === 'n') return this.#takeAlone(message, true);
    if (statuses !== 't') return refusal(statuses);
    tellReady(
      deliveries.filter((_, index) => isNew[index]),
      isReady,
    );
    return isNew;
  }

  #describeSingle(
    delivery: NewDelivery,
    { body, deliveries: [first] }: NewMessage,
    script: ScriptCall,
    withUrls: boolean,
  ): TakeInSingle {
    const { store, event, mayBeKnown } = delivery;
    const user = laneUser(event);
    const own = sharesRecord(event, first?.event)
      ? undefined
      : { ref: this.#messages.newRef(), record: script.record(encodeRecord(event, body)) };
    const linesOf = (urls: readonly string[]) => urls.map((url) => store.keys.line(url));
    return {
      id: event.id,
      mayBeKnown,
      own,
      urls: script.key(store.keys.urls),
      known: withUrls ? linesOf(store.keys.known).map((line) => setsOf(line, script)) : undefined,
      user,
      lanes: user === undefined ? undefined : keysOf(delivery).lines.map((line) => laneOf(line, script)),
    };
  }

  async #run(script: ScriptCall, urls: readonly Unnamed[], groups: TakeInCall['groups']): Promise<TakeInAnswer> {
    const call: TakeInCall = {
      ...this.#settings,
      urls: urls.map(({ store: { keys }, url }) => ({ key: script.key(keys.urls), digest: keys.digest(url), url })),
      groups,
    };
    // The script returns this shape.
    const answer = JSON.parse(String(await script.run(this.#link, TAKE_IN, call))) as TakeInAnswer;
    for (const { store, url } of urls) store.nameUrls([url]);
    return answer;
  }
}

const keysOf = ({ store, event }: NewDelivery): DeliveryKeys => store.keys.deliveryTo(Object.keys(event.urls));

/** @param isReady whether each delivery of an ordered event is ready */
function tellReady(deliveries: readonly NewDelivery[], isReady: readonly boolean[]): void {
  let next = 0;
  for (const { store, event } of deliveries) {
    if (laneUser(event) === undefined) continue;
    const key = { at: event.acceptedAt, id: event.id };
    for (const url of Object.keys(event.urls)) if (isReady[next++] === true) store.tellReady([{ url, key }]);
  }
}

/** Whether the message's record and the URLs say everything about each delivery's event. */
function mayShareScript({ deliveries }: NewMessage): boolean {
  const first = deliveries[0]?.event;
  return deliveries.every(
    ({ event, mayBeKnown }) =>
      event.id === first?.id &&
      laneUser(event) === undefined &&
      sharesRecord(event, first) &&
      (!mayBeKnown || deliveries.length === 1),
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

/** A URL that still has to be written to Redis. */
interface Unnamed {
  readonly store: ReceivingStore;
  readonly url: string;
}

const unnamedIn = (messages: readonly Pick<NewMessage, 'deliveries'>[]): Unnamed[] =>
  messages.flatMap(({ deliveries }) =>
    deliveries.flatMap(({ store, event }) => store.unnamedUrls(event).map((url) => ({ store, url }))),
  );

/** Redis is to know every URL that the process knows, so that the script can tell whether there are others. */
const knownOf = (deliveries: readonly NewDelivery[]): Unnamed[] =>
  deliveries.flatMap(({ store }) => store.keys.known.map((url) => ({ store, url })));

/** A message with its body costs Redis a little more than a delivery. */
const LEAST_WEIGHT = 1.25;

/** For deliveries like those of the message before, the lines are described once, which costs most. */
function weightOf({ deliveries }: NewMessage, before: NewMessage | undefined): number {
  const isLikeBefore =
    deliveries.length === before?.deliveries.length &&
    deliveries.every(({ store, event }, index) => {
      const other = before.deliveries[index];
      return store === other?.store && event.acceptedAt === other.event.acceptedAt;
    });
  return Math.max(LEAST_WEIGHT, isLikeBefore ? deliveries.length / 4 : deliveries.length);
}

const sumOfWeights = (messages: readonly NewMessage[]): number =>
  messages.reduce((sum, message, index) => sum + weightOf(message, messages[index - 1]), 0);
