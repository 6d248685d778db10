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
  /** Another name for `properties`, for users of the Go client. Give only one of the two. */
  traits?: PagePropertiesInput | null | undefined;
}

/** A user saw a screen of an app. Needs `userId` or `anonymousId`. */
export interface Screen extends CommonFields {
  category?: string | null | undefined;
  /** The screen's name: `Checkout`. */
  name?: string | null | undefined;
  properties?: AnyObject | null | undefined;
}

/** A user belongs to a company, a team or an account. Needs `userId` or `anonymousId`. */
export interface Group extends CommonFields {
  /** The group's id in your own database. */
  groupId: string;
  /** Describes the group: `{ name: 'Initech', seats: 40 }`. */
  traits?: AnyObject | null | undefined;
}

/** Two ids belong to the same person: everything that `previousId` did counts as done by `userId`. */
export interface Alias extends CommonFields {
  /** The id that is used from now on. */
  userId: string;
  /** The id that was used until now. */
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

/** A message in a file or in another program: the argument of a call, plus its `type`. */
export type TypedMessage = { [T in MessageTypeName]: Calls[T] & { type: T } }[MessageTypeName];
