import { Option } from 'commander';
import type { MessageTypeName } from '../../protocol/calls.js';
import { commonFields, type Field, IS_JSON, MESSAGE_TYPES } from '../../protocol/field-table.js';
import { ownFields } from '../../protocol/own-fields.js';
import { jsonObject, required } from '../options/argument-parsers.js';

export interface FieldOption {
  readonly option: Option;
  /** The field of the message that the option sets. */
  readonly field: string;
  readonly isJson: boolean;
}

type FieldName = keyof typeof commonFields | { [T in MessageTypeName]: keyof (typeof ownFields)[T] }[MessageTypeName];

/** For each field: its option, the placeholder of its value, and its meaning. */
const OPTIONS: Readonly<Record<FieldName, readonly [option: string, takes: string, meaning: string]>> = {
  userId: ['user', 'id', "the user's id in your database"],
  anonymousId: ['anonymous', 'id', 'the id of a visitor who is not signed in'],
  event: ['event', 'name', 'what the user did'],
  name: ['name', 'name', 'its name'],
  category: ['category', 'name', 'its category'],
  groupId: ['group', 'id', "the group's id"],
  previousId: ['previous', 'id', 'the id so far'],
  properties: ['properties', 'json', 'facts about it'],
  traits: ['traits', 'json', 'facts about them'],
  context: ['context', 'json', 'circumstances: IP address, page, device'],
  integrations: ['integrations', 'json', 'which destinations may get it'],
  timestamp: ['timestamp', 'time', 'when it happened (default: now)'],
  messageId: ['message-id', 'id', 'the id of the message (default: a UUID of version 7)'],
};

/** @param isRequired true if the type requires the field and the client has no default for it */
function optionOf(field: string, { kind }: Field, isRequired: boolean): FieldOption {
  const [name, takes, meaning] = OPTIONS[field as FieldName];
  const option = new Option(`--${name} <${takes}>`, meaning);
  const isJson = IS_JSON[kind];
  if (isJson) option.argParser(jsonObject);
  return { option: isRequired ? required(option) : option, field, isJson };
}

function optionsOf(type: MessageTypeName): FieldOption[] {
  const { userId, anonymousId, context, integrations, timestamp, messageId } = commonFields;
  const ids = type === 'alias' ? { userId } : { userId, anonymousId };
  const fields: Record<string, Field> = { ...ids, ...ownFields[type], context, integrations, timestamp, messageId };
  return Object.entries(fields).map(([name, field]) =>
    optionOf(name, field, field.isRequired && name in ownFields[type]),
  );
}

/** The options of each type. */
export const fieldOptions = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [type, optionsOf(type)]),
) as unknown as Readonly<Record<MessageTypeName, readonly FieldOption[]>>;

export const EXAMPLES: Readonly<Record<MessageTypeName, string>> = {
  track: `send track --user u1 --event "Order Completed" --properties '{"total":42}'`,
  identify: `send identify --user u1 --traits '{"plan":"pro"}'`,
  page: 'send page --user u1 --category Shop --name Home',
  screen: 'send screen --anonymous a1 --name Home',
  group: `send group --user u1 --group g1 --traits '{"employees":7}'`,
  alias: 'send alias --user u1 --previous a1',
};
