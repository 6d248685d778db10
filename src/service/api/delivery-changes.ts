import { anything, type Rules } from '../../base/options/check-options.js';
import { fullId, userKey } from '../../delivery/event-names.js';
import { isWaiting } from '../../delivery/state.js';
import { eventOf } from '../../destination/changes/dead-letters.js';
import type { DiscardFilter } from '../../destination/changes/delivery-filter.js';
import type { ReplayTo } from '../../destination/changes/letter-changes.js';
import { ReplayTargetError } from '../../destination/destination-errors.js';
import type { EventType } from '../../protocol/field-table.js';
import { isRecord } from '../../protocol/plain.js';
import { hasToName } from '../config/has-to-name.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { AdminContext } from './admin-router.js';
import type { DeliveryChange, DeliveryFilter, DeliveryJob } from './delivery-answers.js';
import { holdingDestination } from './named-destination.js';
import { oneOf } from './queries.js';
import { bodyFilter, CHANGE_RULES, storeFilter } from './query-filter.js';
import { readFields } from './read-fields.js';
import { recentOf } from './recent-deliveries.js';
import { refusals } from './refusals.js';
import type { ReplayRequest } from './requests.js';

type Act = DeliveryJob['act'];
const RULES = {
  discard: { ...CHANGE_RULES, state: anything } as Rules<ReplayRequest>,
  replay: { ...CHANGE_RULES, state: anything, sendTo: anything },
};

type ChangedState = 'dead' | 'waiting';

/** Replays or discards one event at a destination, or begins a job for many events at one or all configured destinations. */
export async function changeDeliveries(act: Act, context: AdminContext, api: AdminApi): Promise<DeliveryChange> {
  const fields = await readFields<ReplayRequest>(context, RULES[act]);
  const { sendTo, state: stateGiven, rate } = fields;
  const filter = bodyFilter(fields);
  const { destination: given, id, ...rest } = filter;
  const managed = destinationIn(given, api);
  const destination = managed?.name;
  const state = stateIn(
    stateGiven,
    statesOf(act, managed !== undefined && api.managedDestinations.removed.has(managed.name)),
  );
  checkTogether({ ...filter, destination, state, sendTo });
  if (managed !== undefined && id !== undefined) {
    const deliveries = await changeOne(act, managed, { ...rest, id, state }, sendTo, api);
    return { status: 'done', destination: managed.name, deliveries };
  }
  const target = managed === undefined ? {} : targetOf(act, managed, sendTo, api);
  // Only a call for a single event can send a delivered one again; a job never does.
  const meant = { ...rest, ...(state !== undefined && state !== 'delivered' && { state }) };
  const job = await api.deliveryJobs.begin({ act, destination, filter: meant, rate, ...target });
  if (job.status === 'running') context.status(202);
  return job;
}

/** Finds the destination that the request names; undefined means all destinations. */
function destinationIn(name: string | undefined, api: AdminApi): ManagedDestination | undefined {
  if (name === undefined) {
    if (hasToName(api.config().destinations.length))
      throw refusals.invalidField('destination', 'the name of a destination, or "all"', name);
    return undefined;
  }
  return name === 'all' ? undefined : holdingDestination(api, name);
}

/** Refuses combinations of fields that have no meaning together. */
function checkTogether(given: DeliveryFilter & { readonly state: string | undefined; readonly sendTo: unknown }): void {
  const { destination, id, state, reason, sendTo } = given;
  const needing = { id, state: state === 'dead' ? undefined : state, sendTo };
  for (const [name, value] of Object.entries(needing))
    if (value !== undefined && destination === undefined)
      throw refusals.invalidField('destination', `a name beside \`${name}\``, destination);
  if (state === 'delivered' && id === undefined)
    throw refusals.invalidField('id', 'the id of one event beside `"state": "delivered"`', id);
  if (state === 'waiting' && reason !== undefined)
    throw refusals.invalidField(
      'reason',
      'nothing beside `"state": "waiting"`, because a waiting delivery has no reason',
      reason,
    );
}

/** Returns the allowed values of `state`. A waiting delivery needs no replay unless its destination is no longer configured. */
function statesOf(act: Act, isRemoved: boolean): readonly (ChangedState | 'delivered')[] {
  if (act === 'discard' || isRemoved) return ['dead', 'waiting'];
  return ['dead', 'delivered'];
}

function stateIn<S extends string>(given: S | undefined, states: readonly S[]): S | undefined {
  if (given === undefined || states.includes(given)) return given;
  throw refusals.invalidField('state', oneOf(...states).expected, given);
}

/** Changes one event, or throws an error that explains why the event was not changed. */
async function changeOne(
  act: Act,
  managed: ManagedDestination,
  {
    state,
    ...filter
  }: DeliveryFilter & { readonly id: string; readonly state: ChangedState | 'delivered' | undefined },
  sendTo: unknown,
  api: AdminApi,
): Promise<number> {
  if (state === 'delivered') return sendAgain(api, managed, filter.id);
  const target = targetOf(act, managed, sendTo, api);
  const deliveries = await changeMeant(act, managed, { ...storeFilter(filter), state }, target, api).catch(orRefusal);
  if (deliveries === 0) throw await whyNone(api, managed, filter.id, { act, state });
  return deliveries;
}

function changeMeant(
  act: Act,
  { name, destination }: ManagedDestination,
  meant: DiscardFilter,
  target: ReplayTo,
  api: AdminApi,
): Promise<number> {
  if (act === 'discard') return destination.discard(meant);
  const other = api.managedDestinations.byName.get(target.sendTo ?? '');
  if (api.managedDestinations.removed.has(name) && other !== undefined)
    return destination.moveTo(other.destination, meant);
  const { state: _, ...letter } = meant;
  return destination.replay(letter, target);
}

const targetOf = (act: Act, managed: ManagedDestination, sendTo: unknown, api: AdminApi): ReplayTo =>
  api.managedDestinations.removed.has(managed.name) ? otherDestination(act, sendTo, api) : targetIn(managed, sendTo);

/** Reads the webhook that gets the dead letters of removed webhooks. It is checked now, because a job can ask nobody. */
function targetIn({ destination }: ManagedDestination, given: unknown): ReplayTo {
  if (given === undefined) return {};
  const sendTo = typeof given === 'string' ? writtenAs(given) : undefined;
  if (sendTo === undefined || !destination.isWebhook(sendTo))
    throw refusals.invalidField('sendTo', 'the id or the URL of a webhook that is configured', given);
  return { sendTo };
}

/** Writes a URL in the form in which a destination names its webhooks: `https://example.com` becomes `https://example.com/`. */
const writtenAs = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** Reads the destination that gets what a removed one still holds. It is required, because nothing is sent to a removed one. */
function otherDestination(act: Act, given: unknown, api: AdminApi): ReplayTo {
  if (act === 'discard') return {};
  if (given === undefined)
    throw refusals.noTarget(
      'The configuration no longer has this destination: name the destination that gets its events in `sendTo`',
    );
  if (typeof given !== 'string' || !api.managedDestinations.byName.has(given))
    throw refusals.invalidField('sendTo', 'the name of a destination that is configured', given);
  return { sendTo: given };
}

function orRefusal(error: unknown): never {
  if (error instanceof ReplayTargetError) throw refusals.noTarget(error.message);
  throw error;
}

/** Explains why an event was not replayed or discarded. */
async function whyNone(
  api: AdminApi,
  { name, store }: ManagedDestination,
  id: string,
  { act, state = 'dead' }: { readonly act: Act; readonly state: ChangedState | undefined },
): Promise<Error> {
  const event = await eventOf(store, id);
  const states = Object.values(event?.urls ?? {});
  if (states.some((each) => each.phase === 'dead'))
    return refusals.deliveryState(
      state === 'waiting'
        ? 'The event does not wait: it is a dead letter'
        : 'The event stays a dead letter: the filter does not match its webhook, or the webhook has the event or waits for it',
    );
  if (states.some(isWaiting))
    return refusals.deliveryState(
      act === 'replay'
        ? 'The event is not a dead letter: it waits, and is sent without a replay'
        : 'The event is not a dead letter: it waits. `"state": "waiting"` discards it',
    );
  const kept = await recentOf(api, id);
  if (kept.some(({ destination, attempt }) => destination === name && attempt.phase === 'delivered'))
    return refusals.deliveryState(
      act === 'replay'
        ? 'The event was delivered; `"state": "delivered"` sends it again'
        : 'The event was delivered: there is nothing to discard',
    );
  return refusals.unknown('event with this id here: it was delivered and forgotten, was discarded, or never arrived');
}

/** Sends a delivered event again, with the same body, to every webhook of the destination, if an attempt is still kept. */
async function sendAgain(api: AdminApi, { name, destination }: ManagedDestination, id: string): Promise<number> {
  // The epoch is read first: if the user is deleted from now on, the event is not sent.
  const epoch = await destination.arrivals.epoch();
  const kept = (await recentOf(api, id)).filter((each) => each.destination === name);
  const names = [...new Set(kept.map(({ attempt }) => fullId(attempt)))];
  if (names.length > 1)
    throw refusals.deliveryState(
      `Several sources have sent an event of this id; the \`id\` may be one of ${names.join(', ')}`,
    );
  const last = kept.findLast(({ attempt }) => attempt.phase === 'delivered')?.attempt;
  if (last === undefined)
    throw kept.length > 0
      ? refusals.deliveryState('The event was not delivered here')
      : refusals.unknown('event with this id here: it is no longer kept, or never arrived');
  const { message } = last;
  const named = isRecord(message) ? message : {};
  const event = {
    id: last.id,
    // A kept attempt that has its message belongs to an event of this service, and such an event has a type.
    type: last.type ?? (named['type'] as EventType),
    ...(last.source !== undefined && { source: last.source }),
    user: userKey(named),
    epoch,
  };
  const isTaken = await destination.arrivals.take(event, Buffer.from(JSON.stringify(message)));
  if (!isTaken) throw refusals.deliveryState('The event waits already, or is a dead letter');
  return destination.endpoints().length;
}
