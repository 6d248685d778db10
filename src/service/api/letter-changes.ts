import type { Context } from 'hono';
import { userKey } from '../../delivery/names.js';
import { isWaiting } from '../../delivery/state.js';
import { eventOf } from '../../destination/dead-letters.js';
import { ReplayTargetError } from '../../destination/errors.js';
import type { ReplayTo } from '../../destination/letter-changes.js';
import { isRecord } from '../../protocol/is.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { oneOf, readFields, textOf } from './body.js';
import type { EventType } from './delivery-answers.js';
import type { DeadLetterFilter, LetterChange, LetterJob } from './letter-answers.js';
import { bodyFilter, webhookName } from './letter-filter.js';
import { recentOf } from './recent-deliveries.js';
import { refusals } from './refusals.js';

type Act = LetterJob['act'];
type State = 'dead' | 'waiting';

/** Replays or discards one letter, or begins a job for many. */
export async function changeLetters(
  act: Act,
  context: Context,
  managed: ManagedDestination,
  api: AdminApi,
): Promise<LetterChange> {
  const { name } = managed;
  const { sendTo, state: given, ...fields } = await readFields(context);
  const isRemoved = api.removedDestinations().has(name);
  if (sendTo !== undefined && act === 'discard') throw refusals.invalidField('sendTo', 'there to discard');
  const { id, rate, ...filter } = bodyFilter(fields);
  const state = stateIn(given, statesOf(act, isRemoved));
  if (state === 'delivered') {
    if (id === undefined) throw refusals.invalidField('id', 'there, as `delivered` takes one event');
    return sendAgain(api, managed, id);
  }
  if (state === 'waiting' && filter.reason !== undefined)
    throw refusals.invalidField('reason', 'there with `state`: what waits has not died');
  const target = isRemoved ? otherDestination(act, sendTo, api) : targetIn(managed, sendTo);
  if (id !== undefined) {
    const meant = { id, ...filter, state };
    const deliveries = await changeOne(act, managed, meant, target, api).catch(orRefusal);
    if (deliveries === 0) throw await whyNone(api, managed, id, { act, state });
    return { status: 'done', deliveries };
  }
  const job = await api.letterJobs.begin({ act, destination: name, filter: { ...filter, state }, rate, ...target });
  if (job.status === 'running') context.status(202);
  return job;
}

/** What waits is sent by itself, unless its destination is configured no more. */
function statesOf(act: Act, isRemoved: boolean): readonly (State | 'delivered')[] {
  if (act === 'discard' || isRemoved) return ['dead', 'waiting'];
  return ['dead', 'delivered'];
}

const stateIn = <S extends string>(given: unknown, states: readonly S[]): S | undefined =>
  oneOf(states, 'state', textOf({ state: given }, 'state'), refusals.invalidField);

async function changeOne(
  act: Act,
  { name, destination }: ManagedDestination,
  meant: DeadLetterFilter & { readonly id: string; readonly state: State | undefined },
  target: ReplayTo,
  api: AdminApi,
): Promise<number> {
  if (act === 'discard') return destination.discard(meant);
  const other = api.managedDestinations().get(target.sendTo ?? '');
  if (api.removedDestinations().has(name) && other !== undefined) return destination.moveTo(other.destination, meant);
  const { state: _, ...letter } = meant;
  return destination.replay(letter, target);
}

/** The webhook that gets letters of webhooks that are no longer configured. Asked before a job begins: a job has no one to ask. */
function targetIn({ destination }: ManagedDestination, given: unknown): ReplayTo {
  if (given === undefined) return {};
  const sendTo = typeof given === 'string' ? webhookName(given) : undefined;
  if (sendTo === undefined || !destination.isWebhook(sendTo))
    throw refusals.invalidField('sendTo', 'the id or the URL of a webhook that is configured');
  return { sendTo };
}

/** The destination that gets what a removed one has left: it goes nowhere by itself. */
function otherDestination(act: Act, given: unknown, api: AdminApi): ReplayTo {
  if (act === 'discard') return {};
  if (given === undefined)
    throw refusals.noTarget('The destination is configured no more: `sendTo` has to name the one that gets its events');
  if (typeof given !== 'string' || !api.managedDestinations().has(given))
    throw refusals.invalidField('sendTo', 'the name of a destination that is configured');
  return { sendTo: given };
}

function orRefusal(error: unknown): never {
  if (error instanceof ReplayTargetError) throw refusals.noTarget(error.message);
  throw error;
}

/** Says of one event why nothing of it was replayed or discarded. */
async function whyNone(
  api: AdminApi,
  { name, store }: ManagedDestination,
  id: string,
  { act, state = 'dead' }: { readonly act: Act; readonly state: State | undefined },
): Promise<Error> {
  const event = await eventOf(store, id);
  const states = Object.values(event?.urls ?? {});
  if (states.some((each) => each.phase === 'dead'))
    return refusals.deliveryState(
      state === 'waiting'
        ? 'The event does not wait: it is a dead letter'
        : 'The event stays a dead letter: the filter means another webhook, or its webhook has the event or waits for it',
    );
  if (states.some(isWaiting))
    return refusals.deliveryState(
      act === 'replay'
        ? 'The event is no dead letter: it waits, and is sent by itself'
        : 'The event is no dead letter: it waits, and `"state": "waiting"` discards it',
    );
  const kept = await recentOf(api, id);
  if (kept.some(({ destination, attempt }) => destination === name && attempt.phase === 'delivered'))
    return refusals.deliveryState(
      act === 'replay'
        ? 'The event was delivered; `"state": "delivered"` sends it again'
        : 'The event was delivered: there is nothing to discard',
    );
  return refusals.unknown('event of this id here: it was delivered and forgotten, discarded, or never came');
}

/** Sends a delivered event once more to every webhook of the destination, with the same body, as long as an attempt at it is kept. */
async function sendAgain(api: AdminApi, { name, destination }: ManagedDestination, id: string): Promise<LetterChange> {
  // Read first: if the user is deleted from now on, the event is not sent.
  const epoch = await destination.arrivals.epoch();
  const kept = (await recentOf(api, id)).filter((each) => each.destination === name);
  const last = kept.findLast(({ attempt }) => attempt.phase === 'delivered')?.attempt;
  if (last === undefined)
    throw kept.length > 0
      ? refusals.deliveryState('The event was not delivered here')
      : refusals.unknown('event of this id here: it is kept no longer, or never came');
  const { message } = last;
  const named = isRecord(message) ? message : {};
  const event = {
    id: last.id,
    // An attempt that is kept with its message is one at an event of ours, which has a type.
    type: last.type ?? (named['type'] as EventType),
    ...(last.source !== undefined && { source: last.source }),
    user: userKey(named),
    epoch,
  };
  const isTaken = await destination.arrivals.take(event, Buffer.from(JSON.stringify(message)));
  if (!isTaken) throw refusals.deliveryState('The event waits already, or is a dead letter');
  return { status: 'done', deliveries: destination.endpoints().length };
}
