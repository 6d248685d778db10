import type { Attempt } from '../../delivery/state.js';
import { MOST_ANSWER_BYTES } from '../../destination/answer-text.js';
import { eventOf, MeantDeliveries } from '../../destination/dead-letters.js';
import { KnownWebhooks } from '../../destination/known-webhooks.js';
import { shownUrl } from '../../destination/shown-url.js';
import { isRecord } from '../../protocol/is.js';
import type { EventKey, EventStore, QueueKey } from '../../store/event-store.js';
import { cursorOf, eventKeyOf, queueKeyOf } from '../../store/queue-key.js';
import type { DeadLetter, DeadLetterFilter, DeadLetterPage, DeadLetterWithBody } from './answers.js';
import type { AttemptReport } from './delivery-answers.js';
import { iso } from './iso.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './target-limits.js';

/** How many queue keys are read at a time, and at most for one page: a filter that nothing fits must not read on and on. */
const PAGE = 256;
const MOST_READ = 10_000;

/** The dead letters for which the filter holds, from the one after `cursor`, those accepted first first. */
export async function listDeadLetters(
  store: EventStore,
  { limit, cursor, ...filter }: DeadLetterFilter & { readonly limit: number; readonly cursor: string | undefined },
): Promise<DeadLetterPage> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  const letters: DeadLetter[] = [];
  let after: QueueKey | undefined = cursor === undefined ? { at: meant.from, id: '' } : readCursor(cursor);
  for (let read = 0; read < MOST_READ; ) {
    const keys: QueueKey[] = await store.dead(after, PAGE);
    for (const key of keys) {
      if (key.at >= meant.to) return { letters };
      const letter = await reportOf(store, key, meant);
      if (letter !== undefined) letters.push(letter);
      after = key;
      if (letters.length === limit) return { letters, next: cursorOf(key) };
    }
    read += keys.length;
    if (keys.length < PAGE) return { letters };
    // Reading may take nothing but this process's time.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { letters, next: cursorOf(after) };
}

/** One of them, with the message as it was to be sent. */
export async function findDeadLetter(store: EventStore, id: string): Promise<DeadLetterWithBody | undefined> {
  const event = await eventOf(store, id);
  if (event === undefined) return undefined;
  const known = await KnownWebhooks.of(store);
  const [letter, body] = await Promise.all([
    reportOf(store, eventKeyOf(store, event), new MeantDeliveries({}, known)),
    messageOf(store, eventKeyOf(store, event)),
  ]);
  return letter && { ...letter, body };
}

export const attemptReport = ({ at, answer, ...rest }: Attempt): AttemptReport => ({
  at: iso(at),
  ...rest,
  ...(answer !== undefined && { answer: { headers: {}, text: answer, isCut: isCut(answer) } }),
});

/** Up to three bytes are missing where a character was cut in two. */
const isCut = (answer: string): boolean => Buffer.byteLength(answer) > MOST_ANSWER_BYTES - 4;

async function reportOf(store: EventStore, key: EventKey, meant: MeantDeliveries): Promise<DeadLetter | undefined> {
  const event = await store.event(key.id, key.partition);
  const letters = event === undefined ? [] : meant.in(event);
  if (event === undefined || letters.length === 0) return undefined;
  const endpoints = letters.map(([key, { reason, at, history }]) => ({
    ...meant.known.nameOf(key),
    url: shownUrl(meant.known.urlOf(key)),
    reason,
    diedAt: iso(at),
    attempts: history.map(attemptReport),
  }));
  const { type, acceptedAt } = event;
  return { id: event.id, type, ...namesIn(await messageOf(store, key)), acceptedAt: iso(acceptedAt), endpoints };
}

/** Undefined when it was let go of meanwhile. */
export async function messageOf(store: EventStore, { id, partition }: EventKey): Promise<unknown> {
  const body = await store.body(id, partition);
  return body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
}

/** What a track is called, and whose a message is, as far as it says. */
export function namesIn(message: unknown): Pick<DeadLetter, 'event' | 'userId' | 'anonymousId'> {
  if (!isRecord(message)) return {};
  const names = (['event', 'userId', 'anonymousId'] as const).map((name) => [name, message[name]]);
  return Object.fromEntries(names.filter(([, value]) => typeof value === 'string'));
}

function readCursor(cursor: string): QueueKey {
  const key = queueKeyOf(cursor);
  if (key === undefined || Buffer.byteLength(key.id) > MOST_ID_BYTES)
    throw refusals.invalidQuery('after', 'the `next` of an answer');
  return key;
}
