import type { Catalogue } from '../events/catalogue.js';
import type { EventName, EventProperties, TrackedName } from '../events/typed-calls.js';
import type { MessageTypeName } from '../protocol/calls.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import type { Message, PageMessage, ScreenMessage, TrackMessage } from '../protocol/message.js';

/** The messages of a captured client: a list in the order of the calls, with methods that select by type and name. */
export interface CapturedMessages<C extends Catalogue = Catalogue> extends ReadonlyArray<Message>, Unnamed {
  /** The `track` messages. */
  track(): TrackMessage[];
  /** The `track` messages with this event. Their properties have the types of the client's catalogue, if it has one. */
  track<Name extends TrackedName<C>>(event: Name): TrackedMessage<C, Name>[];
  /** The `page` messages; with a name, those of that page. */
  page(name?: string): PageMessage[];
  /** The `screen` messages; with a name, those of that screen. */
  screen(name?: string): ScreenMessage[];
}

/** A method for each message type that has no name. */
type Unnamed = {
  readonly [T in Exclude<MessageTypeName, 'track' | 'page' | 'screen'>]: () => Extract<Message, { type: T }>[];
};

/** A `track` message of an event in a catalogue. */
export type TrackedMessage<C extends Catalogue, Name extends string> =
  string extends EventName<C>
    ? TrackMessage
    : Name extends EventName<C>
      ? TrackMessage & { event: Name } & SentProperties<EventProperties<C, Name>>
      : TrackMessage;

type SentProperties<P> = Record<never, never> extends P ? { properties?: AsSent<P> } : { properties: AsSent<P> };

/** The type of a value after JSON: a `Date`, for example, becomes text. */
type AsSent<T> = T extends { toJSON(...args: never[]): infer Text }
  ? Text
  : T extends object
    ? { [K in keyof T]: AsSent<T[K]> }
    : T;

/** Returns the name of the event, page or screen, or undefined if the type has no name. */
export const nameOf = (message: Message): string | undefined => {
  if (message.type === 'track') return message.event;
  return message.type === 'page' || message.type === 'screen' ? message.name : undefined;
};

/**
 * Adds methods to a list of messages. They are not enumerable, so that the list equals a plain one.
 *
 * @param messages the list itself, to which messages are added
 */
export function capturedMessages<C extends Catalogue>(messages: Message[]): CapturedMessages<C> {
  const of =
    (type: string) =>
    (name?: string): Message[] =>
      messages.filter((message) => message.type === type && (name === undefined || nameOf(message) === name));
  for (const type of MESSAGE_TYPES) {
    Object.defineProperty(messages, type, { value: of(type) });
  }
  // The list now has the methods, but TypeScript cannot see that they were defined.
  return messages as readonly Message[] as CapturedMessages<C>;
}
