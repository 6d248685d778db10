import type { MessageTypeName } from '../../protocol/calls.js';
import { commonFields, type Field, IS_JSON, MESSAGE_TYPES } from '../../protocol/field-table.js';
import { ownFields } from '../../protocol/own-fields.js';

export interface FieldOption {
  /** The flags in commander's syntax. */
  readonly flags: string;
  /** The name under which commander stores the option's value. */
  readonly option: string;
  /** The field of the message that the option sets. */
  readonly field: string;
  readonly meaning: string;
  readonly isJson?: true;
  /** True if the type requires the field and the client has no default for it. */
  readonly isRequired?: true;
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

function optionOf(field: string, { kind }: Field, isRequired: boolean): FieldOption {
  const [name, takes, meaning] = OPTIONS[field as FieldName];
  const option = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    flags: `--${name} <${takes}>`,
    option,
    field,
    meaning,
    ...(isRequired && { isRequired: true }),
    ...(IS_JSON[kind] && { isJson: true }),
  };
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
