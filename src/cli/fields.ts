import { commonFields, type Field, ownFields } from '../protocol/field-table.js';
import type { MessageTypeName } from '../protocol/message.js';

export interface FieldOption {
  /** As commander takes it. */
  readonly flags: string;
  /** The name commander gives the option. */
  readonly option: string;
  /** The field of the message it fills. */
  readonly field: string;
  readonly meaning: string;
  readonly isJson?: true;
}

type FieldName = keyof typeof commonFields | { [T in MessageTypeName]: keyof (typeof ownFields)[T] }[MessageTypeName];

/** How each field is called here: the option, what it takes, what it means. */
const OPTIONS: Readonly<Record<FieldName, readonly [option: string, takes: string, meaning: string]>> = {
  userId: ['user', 'id', "the user's id in your database"],
  anonymousId: ['anonymous', 'id', 'an id for someone not signed in'],
  event: ['event', 'name', 'what the user did'],
  name: ['name', 'name', 'what it is called'],
  category: ['category', 'name', 'what it belongs to'],
  groupId: ['group', 'id', "the group's id"],
  previousId: ['previous', 'id', 'the id until now'],
  properties: ['properties', 'json', 'what else is known about it'],
  traits: ['traits', 'json', 'what is known about them'],
  context: ['context', 'json', 'what was around the event'],
  integrations: ['integrations', 'json', 'where it may go'],
  timestamp: ['timestamp', 'time', 'when it happened (default: now)'],
  messageId: ['message-id', 'id', 'the id of the message (default: a random UUID)'],
};

function optionOf(field: string, { kind }: Field): FieldOption {
  const [name, takes, meaning] = OPTIONS[field as FieldName];
  const option = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { flags: `--${name} <${takes}>`, option, field, meaning, ...(kind === 'object' && { isJson: true }) };
}

function optionsOf(type: MessageTypeName): FieldOption[] {
  const { userId, anonymousId, context, integrations, timestamp, messageId } = commonFields;
  const ids = type === 'alias' ? { userId } : { userId, anonymousId };
  const fields: Record<string, Field> = { ...ids, ...ownFields[type], context, integrations, timestamp, messageId };
  return Object.entries(fields).map(([name, field]) => optionOf(name, field));
}

/** What `send` can fill in, by type. */
export const fieldOptions: Readonly<Record<MessageTypeName, readonly FieldOption[]>> = {
  track: optionsOf('track'),
  identify: optionsOf('identify'),
  page: optionsOf('page'),
  screen: optionsOf('screen'),
  group: optionsOf('group'),
  alias: optionsOf('alias'),
};
