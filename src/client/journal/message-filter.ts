/** The fields of a journaled message by which it can be filtered. */
export interface JournaledMessage {
  readonly type: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  readonly event?: string;
}

/** Tells whether a message is to be forgotten. */
export type IsMeant = (message: JournaledMessage) => boolean;

const TEXTS = ['type', 'event', 'userId', 'anonymousId', 'previousId', 'messageId'] as const;
const TIMES = ['from', 'to'] as const;

/**
 * A filter of messages. A message matches if it has all of the given values. Its timestamp has to be in the range from `from` to
 * before `to`, in ms since 1970.
 */
export type MessageSelection = { readonly [K in (typeof TEXTS)[number]]?: string | undefined } & {
  readonly [K in (typeof TIMES)[number]]?: number | undefined;
};

/** Tells whether a value can be a message. A dead letter may hold any JSON value. */
const isMessage = (message: unknown): message is JournaledMessage => typeof message === 'object' && message !== null;

/** Makes a filter of dead letters from a filter of messages. */
export const letterFilter =
  (isMeant: IsMeant) =>
  ({ message }: { readonly message: unknown }): boolean =>
    isMessage(message) && isMeant(message);

export function matches(filter: MessageSelection, message: JournaledMessage): boolean {
  const { from = Number.NEGATIVE_INFINITY, to } = filter;
  if (TEXTS.some((name) => filter[name] !== undefined && message[name] !== filter[name])) return false;
  if (filter.from === undefined && to === undefined) return true;
  const at = Date.parse(message.timestamp);
  return at >= from && (to === undefined || at < to);
}

/** Tells whether a filter names an id. Then damaged bytes may hold text of the person with that id. */
export const isById = ({ userId, anonymousId, previousId, messageId }: MessageSelection): boolean =>
  [userId, anonymousId, previousId, messageId].some((id) => id !== undefined);

/** Tells whether this version knows every field of a received filter. Ignoring an unknown field would match too much. */
export function isFilter(given: unknown): given is MessageSelection {
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(given).every(
    ([name, value]) =>
      (TEXTS.some((known) => known === name) && typeof value === 'string') ||
      (TIMES.some((known) => known === name) && typeof value === 'number'),
  );
}
