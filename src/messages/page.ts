import * as z from 'zod/mini';
import {
  type CommonFields,
  commonFields,
  holdsCommonFields,
  identified,
  isIdentified,
  type WireFields,
} from './common.js';
import { type Fields, isRecord, isString, record, string } from './fields.js';
import type { MessageType } from './message-type.js';

/** What is known about a page. Other keys are allowed. */
export interface PageProperties {
  /** The whole address: `https://example.com/pricing?plan=pro`. */
  url?: string | undefined;
  title?: string | undefined;
  /** The address the user came from. */
  referrer?: string | undefined;
  /** The path of the address: `/pricing`. */
  path?: string | undefined;
  [key: string]: unknown;
}

/** A user saw a page of a website. Needs `userId` or `anonymousId`. */
export interface Page extends CommonFields {
  category?: string | undefined;
  /** The page's name: `Pricing`. */
  name?: string | undefined;
  properties?: PageProperties | undefined;
  /** Another name for `properties`, for those who come from the Go client. Give one of the two. */
  traits?: PageProperties | undefined;
}

const knownProperties = ['url', 'title', 'referrer', 'path'] as const;

const isPageProperties = (value: unknown): boolean =>
  isRecord(value) && knownProperties.every((key) => value[key] === undefined || isString(value[key]));

const pagePropertiesSchema = z.pipe(
  record<PageProperties>(),
  z.looseObject({
    url: z.optional(string),
    title: z.optional(string),
    referrer: z.optional(string),
    path: z.optional(string),
  }),
);

const namesPropertiesOnce = (message: Pick<Page, 'properties' | 'traits'>): boolean =>
  message.properties === undefined || message.traits === undefined;

const pageSchema = z
  .looseObject({
    ...commonFields,
    category: z.optional(string),
    name: z.optional(string),
    properties: z.optional(pagePropertiesSchema),
    traits: z.optional(pagePropertiesSchema),
  } satisfies Fields<Page>)
  .check(
    identified,
    z.refine<Page>(namesPropertiesOnce, { path: ['traits'], error: 'either properties or traits, which are the same' }),
  );

interface WirePage extends WireFields {
  type: 'page';
  category: string | undefined;
  name: string | undefined;
  properties: PageProperties | undefined;
  traits: PageProperties | undefined;
}

export const page = {
  name: 'page',
  read: (message: Page): WirePage => ({
    type: 'page',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    category: message.category,
    name: message.name,
    properties: message.properties,
    traits: message.traits,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WirePage): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    namesPropertiesOnce(message) &&
    (message.category === undefined || isString(message.category)) &&
    (message.name === undefined || isString(message.name)) &&
    (message.properties === undefined || isPageProperties(message.properties)) &&
    (message.traits === undefined || isPageProperties(message.traits)),
  schema: pageSchema,
  finish(message: WirePage): void {
    message.properties ??= message.traits;
    message.traits = undefined;
  },
} satisfies MessageType;
