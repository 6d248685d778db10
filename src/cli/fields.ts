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

const userId = { flags: '--user <id>', option: 'user', field: 'userId', meaning: "the user's id in your database" };
const groupId = { flags: '--group <id>', option: 'group', field: 'groupId', meaning: "the group's id" };
const previousId = { flags: '--previous <id>', option: 'previous', field: 'previousId', meaning: 'the id until now' };
const event = { flags: '--event <name>', option: 'event', field: 'event', meaning: 'what the user did' };
const name = { flags: '--name <name>', option: 'name', field: 'name', meaning: 'what it is called' };
const category = { flags: '--category <name>', option: 'category', field: 'category', meaning: 'what it belongs to' };
const anonymousId = {
  flags: '--anonymous <id>',
  option: 'anonymous',
  field: 'anonymousId',
  meaning: 'an id for someone not signed in',
};
const json = (field: string, meaning: string): FieldOption => ({
  flags: `--${field} <json>`,
  option: field,
  field,
  meaning,
  isJson: true,
});
const properties = json('properties', 'what else is known about it');
const traits = json('traits', 'what is known about them');

const common: readonly FieldOption[] = [
  json('context', 'what was around the event'),
  json('integrations', 'where it may go'),
  { flags: '--timestamp <time>', option: 'timestamp', field: 'timestamp', meaning: 'when it happened (default: now)' },
  {
    flags: '--message-id <id>',
    option: 'messageId',
    field: 'messageId',
    meaning: 'the id of the message (default: a random UUID)',
  },
];

/** What `send` can fill in, by type. */
export const fieldOptions: Readonly<Record<MessageTypeName, readonly FieldOption[]>> = {
  track: [userId, anonymousId, event, properties, ...common],
  identify: [userId, anonymousId, traits, ...common],
  page: [userId, anonymousId, name, category, properties, ...common],
  screen: [userId, anonymousId, name, category, properties, ...common],
  group: [userId, anonymousId, groupId, traits, ...common],
  alias: [userId, previousId, ...common],
};
