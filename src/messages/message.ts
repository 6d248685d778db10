import { type Alias, alias } from './alias.js';
import { type Group, group } from './group.js';
import { type Identify, identify } from './identify.js';
import type { MessageType } from './message-type.js';
import { type Page, page } from './page.js';
import { type Screen, screen } from './screen.js';
import { type Track, track } from './track.js';

export const messageTypes = { identify, track, page, screen, group, alias } as const satisfies Record<
  string,
  MessageType
>;

export type MessageTypeName = keyof typeof messageTypes;

export const isMessageTypeName = (value: unknown): value is MessageTypeName =>
  typeof value === 'string' && Object.hasOwn(messageTypes, value);

/** What each call takes. */
export interface Calls {
  identify: Identify;
  track: Track;
  page: Page;
  screen: Screen;
  group: Group;
  alias: Alias;
}

/** A message as a file or another program holds it: what the call takes, and its `type`. */
export type TypedMessage = { [T in MessageTypeName]: Calls[T] & { type: T } }[MessageTypeName];

/** A message as it is sent: complete, with its id, and its time in UTC with milliseconds. */
export type Message = { [T in MessageTypeName]: Sent<Calls[T]> & { type: T } }[MessageTypeName];

type Sent<M> = Omit<M, 'messageId' | 'timestamp'> & { messageId: string; timestamp: string };
