import type { With } from './any-object.js';
import { type CommonFields, holdsCommonFields, isString, type SentFields } from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';
import type { Inspect } from './mistake.js';
import { isRecord } from './plain.js';

interface KnownPageProperties {
  /** The whole address: `https://example.com/pricing?plan=pro`. */
  url?: string | null | undefined;
  title?: string | null | undefined;
  /** The address the user came from. */
  referrer?: string | null | undefined;
  /** The path of the address: `/pricing`. */
  path?: string | null | undefined;
}

/** The properties of a page, as a call takes them. Other keys are allowed. */
export type PagePropertiesInput = With<KnownPageProperties>;

/** The same as a message has it. */
export interface PageProperties extends KnownPageProperties {
  [key: string]: unknown;
}

/** A user saw a page of a website. Needs `userId` or `anonymousId`. */
export interface Page extends CommonFields {
  category?: string | null | undefined;
  /** The page's name: `Pricing`. */
  name?: string | null | undefined;
  properties?: PagePropertiesInput | null | undefined;
  /** Another name for `properties`, for those who come from the Go client. Give one of the two. */
  traits?: PagePropertiesInput | null | undefined;
}

const knownProperties = ['url', 'title', 'referrer', 'path'] as const;

/** Finds the property that is wrong. It runs at every call, so it makes no object while none is. */
const inspectProperties: Inspect = (value) => {
  if (value == null) return undefined;
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  const wrong = knownProperties.find((key) => value[key] != null && !isString(value[key]));
  return wrong && { path: [wrong], expected: 'a string' };
};

const namesPropertiesOnce = (message: { readonly properties?: unknown; readonly traits?: unknown }): boolean =>
  message.properties == null || message.traits == null;

/** A call may give its properties by another name. */
const fields = { ...ownFields.page, traits: ownFields.page.properties };

/** A `page` as it is sent. */
export interface PageMessage extends SentFields {
  type: 'page';
  category?: string | undefined;
  name?: string | undefined;
  properties?: PageProperties | undefined;
}

/** A call may give `traits` as well. */
type Given = PageMessage & { traits?: PageProperties | undefined };

export const page = messageType<Page, Given>({
  name: 'page',
  own: fields,
  read: (message) => ({
    type: 'page',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    category: message.category ?? undefined,
    name: message.name ?? undefined,
    properties: message.properties ?? undefined,
    traits: message.traits ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message) =>
    holdsCommonFields(message) &&
    namesPropertiesOnce(message) &&
    (message.category == null || isString(message.category)) &&
    (message.name == null || isString(message.name)) &&
    inspectProperties(message.properties) === undefined &&
    inspectProperties(message.traits) === undefined,
  inspections: { properties: inspectProperties, traits: inspectProperties },
  mistakeTogether: (message) =>
    namesPropertiesOnce(message)
      ? undefined
      : { path: ['traits'], expected: 'either properties or traits, which are the same' },
  finish(message) {
    message.properties ??= message.traits;
    message.traits = undefined;
  },
});
