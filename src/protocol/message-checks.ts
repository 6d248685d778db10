/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */
import type { MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields } from './common.js';
import {
  inspectId,
  inspectMessageId,
  inspectOtherId,
  inspectRequiredId,
  inspectTimestamp,
  isIdentified,
  isMessageId,
  isRequiredId,
  isString,
  isText,
  mistakeInIds,
} from './common.js';
import { isSwitch } from './integrations.js';
import { type MessageType, messageType, type TypeParts } from './message-type.js';
import type { Inspect, Inspections } from './mistake.js';
import { at, mistakeInEach, mistakeInRecord, optional, required } from './mistake.js';
import { mistakeInNames, namesPropertiesOnce, takeOtherName } from './page-properties.js';
import { isRecord } from './plain.js';
import { isGivenId } from './user-id.js';

type Fields = Readonly<Record<string, unknown>>;

const requiredSwitch = required(isSwitch, 'true, false or a plain object');

/** Finds the first mistake in integrations. It runs at every call, so it makes no object while there is none. */
const inspectIntegrations: Inspect = (value) =>
  value == null ? undefined : (mistakeInRecord(value, 'destinations') ?? mistakeInEach(value, requiredSwitch));

/** Finds the first mistake in context. It runs at every call, so it makes no object while there is none. */
const inspectContext: Inspect = (value) =>
  value == null
    ? undefined
    : (mistakeInRecord(value, 'fields') ?? at('integrations', inspectIntegrations((value as Fields)['integrations'])));

const optionalRecord = optional(isRecord, 'a plain object');

const requiredText = required(isText, 'a non-empty string');

const optionalString = optional(isString, 'a string');

/** Finds the first mistake in page properties. It runs at every call, so it makes no object while there is none. */
const inspectPageProperties: Inspect = (value) =>
  value == null
    ? undefined
    : (mistakeInRecord(value) ??
      at('url', optionalString((value as Fields)['url'])) ??
      at('title', optionalString((value as Fields)['title'])) ??
      at('referrer', optionalString((value as Fields)['referrer'])) ??
      at('path', optionalString((value as Fields)['path'])));

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
  properties: optionalRecord,
  traits: optionalRecord,
};

/** Tells fast whether these would find nothing, but for the timestamp. */
const holdsCommonFields = (message: DraftFields): boolean =>
  (message.userId == null || isGivenId(message.userId)) &&
  (message.anonymousId == null || isGivenId(message.anonymousId)) &&
  (message.messageId == null || isMessageId(message.messageId)) &&
  (message.context == null || inspectContext(message.context) === undefined) &&
  (message.integrations == null || inspectIntegrations(message.integrations) === undefined) &&
  isIdentified(message);
const typeOf = <T extends MessageTypeName>(parts: TypeParts<T>): MessageType =>
  messageType(commonInspections, [mistakeInIds], parts);

/** The types of messages, by their names. */
export const messageTypes: Readonly<Record<MessageTypeName, MessageType>> = {
  identify: typeOf<'identify'>({
    name: 'identify',
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
    holds: (message) => holdsCommonFields(message) && (message.traits == null || isRecord(message.traits)),
    own: { traits: optionalRecord },
  }),
  track: typeOf<'track'>({
    name: 'track',
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
    holds: (message) =>
      holdsCommonFields(message) &&
      isText(message.event) &&
      (message.properties == null || isRecord(message.properties)),
    own: { event: requiredText, properties: optionalRecord },
  }),
  page: typeOf<'page'>({
    name: 'page',
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
      (message.properties == null || inspectPageProperties(message.properties) === undefined) &&
      (message.traits == null || inspectPageProperties(message.traits) === undefined),
    own: {
      category: optionalString,
      name: optionalString,
      properties: inspectPageProperties,
      traits: inspectPageProperties,
    },
    together: [mistakeInNames],
    finish: takeOtherName,
  }),
  screen: typeOf<'screen'>({
    name: 'screen',
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
    holds: (message) =>
      holdsCommonFields(message) &&
      (message.category == null || isString(message.category)) &&
      (message.name == null || isString(message.name)) &&
      (message.properties == null || isRecord(message.properties)),
    own: { category: optionalString, name: optionalString, properties: optionalRecord },
  }),
  group: typeOf<'group'>({
    name: 'group',
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
    holds: (message) =>
      holdsCommonFields(message) &&
      isRequiredId(message.groupId) &&
      (message.traits == null || isRecord(message.traits)),
    own: { groupId: inspectRequiredId, traits: optionalRecord },
  }),
  alias: typeOf<'alias'>({
    name: 'alias',
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
    holds: (message) => holdsCommonFields(message) && isRequiredId(message.previousId) && isRequiredId(message.userId),
    own: { previousId: inspectRequiredId, userId: inspectRequiredId },
  }),
};

export const isMessageTypeName = (value: unknown): value is MessageTypeName =>
  typeof value === 'string' && Object.hasOwn(messageTypes, value);
