import { fullId } from '../../delivery/event-names.js';
import { type Attempt, resultOf } from '../../delivery/state.js';
import { MOST_ANSWER_BYTES } from '../../destination/sending/answer-text.js';
import type { ShownExchange } from '../../destination/sending/exchange.js';
import { isRecord } from '../../protocol/plain.js';
import type { EventKey, EventStore } from '../../store/event-store.js';
import type { AttemptReport, DeliveryFilter, DeliveryPage, DeliveryReport } from './delivery-answers.js';
import { iso, isoOr } from './iso.js';

/** A filter of deliveries, and the page that is asked for. */
export interface DeliverySearch extends DeliveryFilter {
  readonly limit: number;
  readonly after: string | undefined;
}

/** A page of a list that is still to be merged with others: its reports, each with the key of its delivery. */
export interface ListedPage extends Omit<DeliveryPage, 'deliveries'> {
  readonly deliveries: ReadonlyMap<string, DeliveryReport>;
}

/** @param webhook its key in the store, because two webhooks may have the same shown URL */
export const deliveryKey = (destination: string, event: Parameters<typeof fullId>[0], webhook: string): string =>
  JSON.stringify([destination, fullId(event), webhook]);

/** @param exchange the request and the answer, if they are kept */
export const attemptReport = (
  { at, answer: text, ...rest }: Attempt,
  { sent, answer = answerOf(text) }: Partial<ShownExchange> = {},
): AttemptReport => ({
  at: iso(at),
  ...rest,
  ...(sent !== undefined && { sent }),
  ...(answer !== undefined && { answer }),
});

const answerOf = (text: string | undefined): AttemptReport['answer'] =>
  text === undefined ? undefined : { headers: {}, text, isCut: isCut(text) };

/** True if the answer was longer than the kept part, which may be up to three bytes short to keep characters whole. */
const isCut = (answer: string): boolean => Buffer.byteLength(answer) > MOST_ANSWER_BYTES - 4;

/** Reports when the last attempt was made and how it ended. */
export const lastAttempt = (attempt?: Attempt): Pick<DeliveryReport, 'lastAttemptAt' | 'result' | 'durationMs'> => ({
  lastAttemptAt: isoOr(attempt?.at),
  result: attempt === undefined ? null : resultOf(attempt),
  durationMs: attempt?.durationMs ?? null,
});

/** Reads the message of an event; undefined if the store has removed it in the meantime. */
export async function messageOf(store: EventStore, { id, partition }: EventKey): Promise<unknown> {
  const body = await store.body(id, partition);
  return body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
}

/** Reads the event name and the user from a message, if they are given. */
export function namesIn(message: unknown): Pick<DeliveryReport, 'event' | 'userId' | 'anonymousId'> {
  if (!isRecord(message)) return {};
  const names = (['event', 'userId', 'anonymousId'] as const).map((name) => [name, message[name]]);
  return Object.fromEntries(names.filter(([, value]) => typeof value === 'string'));
}
