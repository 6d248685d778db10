import { type Alias, type AliasMessage, alias } from './alias.js';
import { type Group, type GroupMessage, group } from './group.js';
import { type Identify, type IdentifyMessage, identify } from './identify.js';
import type { MessageType } from './message-type.js';
import { type Page, type PageMessage, page } from './page.js';
import { type Screen, type ScreenMessage, screen } from './screen.js';
import { type Track, type TrackMessage, track } from './track.js';

/** The argument of each call. */
export interface Calls {
  identify: Identify;
  track: Track;
  page: Page;
  screen: Screen;
  group: Group;
  alias: Alias;
}

export type MessageTypeName = keyof Calls;

export const messageTypes: Readonly<Record<MessageTypeName, MessageType>> = {
  identify,
  track,
  page,
  screen,
  group,
  alias,
};

export const isMessageTypeName = (value: unknown): value is MessageTypeName =>
  typeof value === 'string' && Object.hasOwn(messageTypes, value);

/** A message in a file or in another program: what the call takes, and its `type`. */
export type TypedMessage = { [T in MessageTypeName]: Calls[T] & { type: T } }[MessageTypeName];

/** A message as it is sent: complete, with its id, and its time in UTC with milliseconds. */
export type Message = IdentifyMessage | TrackMessage | PageMessage | ScreenMessage | GroupMessage | AliasMessage;
