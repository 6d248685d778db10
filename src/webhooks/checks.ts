import { toIso } from '../messages/timestamp.js';
import type { CommonEventFields, WebhookEvent, WebhookEventType } from './events.js';

/**
 * One field: when it holds, and what to say when it does not. Written out rather than a zod schema: a receiver is often
 * a small function that starts on every call, and twenty lines take the place of 20 kB and several milliseconds.
 */
export interface Check<T> {
  holds(value: unknown): value is T;
  readonly expected: string;
}

/** The checks of an event: a field that is forgotten, or checked for another type, does not compile. */
type Checks<E> = { readonly [K in keyof Omit<E, 'type'>]-?: Check<E[K]> };

// What is in an object is not looked at: the type says what the protocol has there.
const check = <T>(expected: string, holds: (value: unknown) => boolean): Check<T> => ({
  holds: holds as (value: unknown) => value is T,
  expected,
});

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

// What JSON.parse gives is an array, a plain object, or no object at all.
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const text = check<string>('a non-empty string', (value) => typeof value === 'string' && value !== '');
const time = check<string>('an ISO 8601 time', (value) => typeof value === 'string' && toIso(value) !== undefined);
const maybeText = check<string | null | undefined>(
  'a string, or nothing',
  (value) => isAbsent(value) || typeof value === 'string',
);
const maybeObject = <T extends object>() =>
  check<T | null | undefined>('an object, or nothing', (value) => isAbsent(value) || isRecord(value));

const common = {
  version: check<1>('1', (value) => value === 1),
  messageId: text,
  timestamp: time,
  userId: maybeText,
  anonymousId: maybeText,
  context: maybeObject(),
  integrations: maybeObject(),
  originalTimestamp: maybeText,
  sentAt: maybeText,
  receivedAt: maybeText,
} satisfies Checks<CommonEventFields>;

type EventOf<T extends WebhookEventType> = Extract<WebhookEvent, { type: T }>;

const checksByType: { readonly [T in WebhookEventType]: Checks<EventOf<T>> } = {
  track: { ...common, event: text, properties: maybeObject() },
  identify: { ...common, traits: maybeObject() },
  page: { ...common, category: maybeText, name: maybeText, properties: maybeObject() },
  screen: { ...common, category: maybeText, name: maybeText, properties: maybeObject() },
  group: { ...common, groupId: text, traits: maybeObject() },
  alias: { ...common, userId: text, previousId: text },
  delete: { userId: text, timestamp: time },
};

/** The checks of each type by name, in the order in which they are made. A map, so that `constructor` is no type. */
export const checks: ReadonlyMap<string, readonly (readonly [field: string, check: Check<unknown>])[]> = new Map(
  Object.entries(checksByType).map(([type, fields]) => [type, Object.entries<Check<unknown>>(fields)]),
);
