/** A message as it was sent, as far as a person asks for it. */
export interface JournaledMessage {
  readonly type: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  readonly event?: string;
}

/** Says whether a message is to be forgotten. */
export type IsMeant = (message: JournaledMessage) => boolean;

/** A filter of messages. A message matches when it has all of these. */
export interface MessageFilter {
  readonly type?: string | undefined;
  readonly event?: string | undefined;
  readonly userId?: string | undefined;
  readonly anonymousId?: string | undefined;
  readonly previousId?: string | undefined;
  readonly messageId?: string | undefined;
  /** The timestamps that match, in ms since 1970: from here up to, and without, `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const TEXTS = ['type', 'event', 'userId', 'anonymousId', 'previousId', 'messageId'] as const;
const TIMES = ['from', 'to'] as const;

/** Tells whether there is a message at all, as a dead letter may hold anything. */
const isMessage = (message: unknown): message is JournaledMessage => typeof message === 'object' && message !== null;

/** Makes a filter of dead letters from one of messages. */
export const letterFilter =
  (isMeant: IsMeant) =>
  ({ message }: { readonly message: unknown }): boolean =>
    isMessage(message) && isMeant(message);

export function matches(filter: MessageFilter, message: JournaledMessage): boolean {
  const { from = Number.NEGATIVE_INFINITY, to } = filter;
  if (TEXTS.some((name) => filter[name] !== undefined && message[name] !== filter[name])) return false;
  if (filter.from === undefined && to === undefined) return true;
  const at = Date.parse(message.timestamp);
  return at >= from && (to === undefined || at < to);
}

/** Tells whether it is by an id: damage may hold text of whoever has that id. */
export const isById = ({ userId, anonymousId, previousId, messageId }: MessageFilter): boolean =>
  [userId, anonymousId, previousId, messageId].some((id) => id !== undefined);

/** Tells whether this version knows all of a filter that came: one that it knows in part would match too much. */
export function isFilter(given: unknown): given is MessageFilter {
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(given).every(
    ([name, value]) =>
      (TEXTS.some((known) => known === name) && typeof value === 'string') ||
      (TIMES.some((known) => known === name) && typeof value === 'number'),
  );
}
