import { suggest } from '../../base/platform/node.js';
import { messageTypes } from '../../protocol/message-checks.js';
import type { MessageType } from '../../protocol/message-type.js';

/** The fields of all message types. */
const FIELDS: readonly string[] = [
  ...new Set(Object.values(messageTypes).flatMap(({ fields }) => [...fields].filter((name) => name !== 'type'))),
];

/** The names that other libraries use for a field, in lower case and without separators. */
const ELSEWHERE: Readonly<Record<string, string>> = { distinctid: 'userId', props: 'properties', eventname: 'event' };

/** The name that a field has in other message types. */
const SIBLINGS: Readonly<Record<string, string>> = { properties: 'traits', traits: 'properties', name: 'event' };

/** Finds the field that an unknown name likely means; undefined if no field is close enough. */
export function meantBy(type: MessageType, name: string): string | undefined {
  const plain = plainOf(name);
  const meant = ELSEWHERE[plain] ?? FIELDS.find((field) => plainOf(field) === plain) ?? suggest(name, FIELDS);
  if (meant === undefined) return undefined;
  return [meant, SIBLINGS[meant] ?? ''].find((field) => type.fields.has(field));
}

const plainOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
