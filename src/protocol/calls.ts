import type { AnyObject, With } from './any-object.js';
import type { CommonFields } from './common.js';
import type { KnownPageProperties } from './page-properties.js';

/** Tells who a user is. Needs `userId` or `anonymousId`. */
export interface Identify extends CommonFields {
  /** Describes the user: `{ email: 'ada@example.com', plan: 'pro' }`. */
  traits?: AnyObject | null | undefined;
}

/** Something a user did. Needs `userId` or `anonymousId`. */
export interface Track extends CommonFields {
  /** Names what the user did, in the past tense: `Order Completed`. */
  event: string;
  /** Describes it further: `{ total: 42, currency: 'EUR' }`. */
  properties?: AnyObject | null | undefined;
}

/** The properties of a page, as a call takes them. Other keys are allowed. */
export type PagePropertiesInput = With<KnownPageProperties>;

/** A user saw a page of a website. Needs `userId` or `anonymousId`. */
export interface Page extends CommonFields {
  category?: string | null | undefined;
  /** The page's name: `Pricing`. */
  name?: string | null | undefined;
  properties?: PagePropertiesInput | null | undefined;
  /** Another name for `properties`, for those who come from the Go client. Give one of the two. */
  traits?: PagePropertiesInput | null | undefined;
}

/** A user saw a screen of an app. Needs `userId` or `anonymousId`. */
export interface Screen extends CommonFields {
  category?: string | null | undefined;
  /** The screen's name: `Checkout`. */
  name?: string | null | undefined;
  properties?: AnyObject | null | undefined;
}

/** A user belongs to a company, a team, an account. Needs `userId` or `anonymousId`. */
export interface Group extends CommonFields {
  /** The group's id in your own database. */
  groupId: string;
  /** Describes the group: `{ name: 'Initech', seats: 40 }`. */
  traits?: AnyObject | null | undefined;
}

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface Alias extends CommonFields {
  /** The id from now on. */
  userId: string;
  /** The id until now. */
  previousId: string;
}

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

/** A message in a file or in another program: what the call takes, and its `type`. */
export type TypedMessage = { [T in MessageTypeName]: Calls[T] & { type: T } }[MessageTypeName];
