import type { Violation } from '../base/errors/violation-error.js';
import type { Message } from '../protocol/message.js';

/**
 * The events that may be tracked, and their properties. `defineEvents` makes a catalogue, and `new Analytics({ events
 * })` uses it.
 *
 * @typeParam Events the properties of each event, by its name
 * @typeParam Others the traits of `identify` and `group`, the properties of `page` and `screen`, and whether other
 *   events are allowed
 */
export interface Catalogue<Events extends object = AnyEvents, Others extends object = object> {
  /** For types only; absent at run time. */
  readonly '~types'?: { readonly events: Events; readonly others: Others } | undefined;
  /** Returns how a message violates the catalogue, or undefined. The client calls it for each message. It never throws. */
  check(message: Message): Violation | undefined;
}

/** The events of a client without a catalogue. */
export type AnyEvents = Record<string, object | undefined>;
