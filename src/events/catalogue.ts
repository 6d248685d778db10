import type { Violation } from '../base/errors/violation-error.js';
import type { Message } from '../protocol/message.js';

/**
 * The events that may be tracked, and what they must have: made by `defineEvents`, taken by `new Analytics({ events })`.
 *
 * @typeParam Events the properties of each event, by its name
 * @typeParam Others the traits of `identify` and `group`, the properties of `page` and `screen`, and whether other events are allowed
 */
export interface Catalogue<Events extends object = AnyEvents, Others extends object = object> {
  /** The types alone; absent at run time. */
  readonly '~types'?: { readonly events: Events; readonly others: Others } | undefined;
  /** How a message breaks the catalogue; undefined when it does not. The client asks this at each call. Never throws. */
  check(message: Message): Violation | undefined;
}

/** The events of a client without a catalogue. */
export type AnyEvents = Record<string, object | undefined>;
