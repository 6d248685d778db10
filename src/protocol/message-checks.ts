/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */
import type { MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields, Inspect, Inspections, Mistake } from './common.js';
import {
  at,
  inspectId,
  inspectMessageId,
  inspectOtherId,
  inspectRecord,
  inspectRequiredId,
  inspectString,
  inspectSwitch,
  inspectText,
  inspectTimestamp,
  mistakeInEach,
  mistakeInIds,
  mistakeInRecord,
} from './common.js';
import { type MessageType, messageType } from './message-type.js';
import { mistakeInNames, takeOtherName } from './page-properties.js';

type Fields = Readonly<Record<string, unknown>>;

// These checks return only the first mistake. They run at every call, so they create no object for a correct message.

const inspectIntegrations: Inspect = (value) =>
  value == null ? undefined : (mistakeInRecord(value, 'destinations') ?? mistakeInEach(value, inspectSwitch));

const inspectContext: Inspect = (value) =>
  value == null
    ? undefined
    : (mistakeInRecord(value, 'fields') ?? at('integrations', inspectIntegrations((value as Fields)['integrations'])));

const inspectPageProperties: Inspect = (value) =>
  value == null
    ? undefined
    : (mistakeInRecord(value) ??
      at('url', inspectString((value as Fields)['url'])) ??
      at('title', inspectString((value as Fields)['title'])) ??
      at('referrer', inspectString((value as Fields)['referrer'])) ??
      at('path', inspectString((value as Fields)['path'])));

/** An inspection of each field that every call has. */
export const commonInspections: Inspections<CommonFields> = {
  userId: inspectId,
  anonymousId: inspectId,
  timestamp: inspectTimestamp,
  messageId: inspectMessageId,
  context: inspectContext,
  integrations: inspectIntegrations,
};

/** Inspections of fields that only messages of other types have. */
export const otherInspections: Readonly<Record<string, Inspect>> = {
  groupId: inspectOtherId,
  previousId: inspectOtherId,
  properties: inspectRecord,
  traits: inspectRecord,
};

/** Leaves out the timestamp, because a call has to convert it anyway. */
const mistakeInCommonFields = (message: DraftFields): Mistake | undefined =>
  at('userId', inspectId(message.userId)) ??
  at('anonymousId', inspectId(message.anonymousId)) ??
  at('messageId', inspectMessageId(message.messageId)) ??
  at('context', inspectContext(message.context)) ??
  at('integrations', inspectIntegrations(message.integrations));

/** The types of messages, by their names. */
export const messageTypes: Readonly<Record<MessageTypeName, MessageType>> = {
  identify: messageType(commonInspections, {
    name: 'identify',
    own: ['traits'],
    read: (message) => ({
      type: 'identify',
      messageId: message.messageId,
      timestamp: message.timestamp,
      userId: message.userId,
      anonymousId: message.anonymousId,
      traits: message.traits ?? undefined,
      context: message.context ?? undefined,
      integrations: message.integrations ?? undefined,
    }),
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ?? at('traits', inspectRecord(message.traits)) ?? mistakeInIds(message),
  }),
  track: messageType(commonInspections, {
    name: 'track',
    own: ['event', 'properties'],
    read: (message) => ({
      type: 'track',
      messageId: message.messageId,
      timestamp: message.timestamp,
      userId: message.userId,
      anonymousId: message.anonymousId,
      event: message.event,
      properties: message.properties ?? undefined,
      context: message.context ?? undefined,
      integrations: message.integrations ?? undefined,
    }),
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ??
      at('event', inspectText(message.event)) ??
      at('properties', inspectRecord(message.properties)) ??
      mistakeInIds(message),
  }),
  page: messageType(commonInspections, {
    name: 'page',
    own: ['category', 'name', 'properties', 'traits'],
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
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ??
      at('category', inspectString(message.category)) ??
      at('name', inspectString(message.name)) ??
      at('properties', inspectPageProperties(message.properties)) ??
      at('traits', inspectPageProperties(message.traits)) ??
      mistakeInIds(message) ??
      mistakeInNames(message),
    finish: takeOtherName,
  }),
  screen: messageType(commonInspections, {
    name: 'screen',
    own: ['category', 'name', 'properties'],
    read: (message) => ({
      type: 'screen',
      messageId: message.messageId,
      timestamp: message.timestamp,
      userId: message.userId,
      anonymousId: message.anonymousId,
      category: message.category ?? undefined,
      name: message.name ?? undefined,
      properties: message.properties ?? undefined,
      context: message.context ?? undefined,
      integrations: message.integrations ?? undefined,
    }),
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ??
      at('category', inspectString(message.category)) ??
      at('name', inspectString(message.name)) ??
      at('properties', inspectRecord(message.properties)) ??
      mistakeInIds(message),
  }),
  group: messageType(commonInspections, {
    name: 'group',
    own: ['groupId', 'traits'],
    read: (message) => ({
      type: 'group',
      messageId: message.messageId,
      timestamp: message.timestamp,
      userId: message.userId,
      anonymousId: message.anonymousId,
      groupId: message.groupId,
      traits: message.traits ?? undefined,
      context: message.context ?? undefined,
      integrations: message.integrations ?? undefined,
    }),
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ??
      at('groupId', inspectRequiredId(message.groupId)) ??
      at('traits', inspectRecord(message.traits)) ??
      mistakeInIds(message),
  }),
  alias: messageType(commonInspections, {
    name: 'alias',
    own: ['previousId', 'userId'],
    read: (message) => ({
      type: 'alias',
      messageId: message.messageId,
      timestamp: message.timestamp,
      userId: message.userId,
      anonymousId: message.anonymousId,
      previousId: message.previousId,
      context: message.context ?? undefined,
      integrations: message.integrations ?? undefined,
    }),
    mistakeIn: (message) =>
      mistakeInCommonFields(message) ??
      at('previousId', inspectRequiredId(message.previousId)) ??
      at('userId', inspectRequiredId(message.userId)) ??
      mistakeInIds(message),
  }),
};

export const isMessageTypeName = (value: unknown): value is MessageTypeName =>
  typeof value === 'string' && Object.hasOwn(messageTypes, value);
