import { commonFields, deleteFields, type Field, type FieldsOf, stampedFields } from './field-table.js';
import type { CommonEventFields } from './message-shapes.js';
import { ownFields } from './own-fields.js';
import type { WebhookEvent, WebhookEventType } from './webhook-event.js';

type EventOf<T extends WebhookEventType> = Extract<WebhookEvent, { type: T }>;
type OwnFields = {
  readonly [T in Exclude<WebhookEventType, 'delete'>]: FieldsOf<EventOf<T>, keyof CommonEventFields | 'type'>;
} & { readonly alias: Pick<FieldsOf<EventOf<'alias'>>, 'userId'> };

const common: FieldsOf<CommonEventFields, 'version'> = { ...commonFields, ...stampedFields };
const own: OwnFields = ownFields;
const ofDelete: FieldsOf<EventOf<'delete'>, 'type'> = deleteFields;

export interface NamedField extends Field {
  readonly name: string;
}

const named = (fields: Readonly<Record<string, Field>>): NamedField[] =>
  Object.entries(fields).map(([name, field]) => ({ name, ...field }));

/**
 * The fields of each type of event, starting with those of its own. It is a map, so that `constructor` is not found as a type.
 */
export const eventFields: ReadonlyMap<string, readonly NamedField[]> = new Map([
  ...Object.entries(own).map(([type, fields]): [string, NamedField[]] => [
    type,
    named({ ...fields, ...common, ...fields }),
  ]),
  ['delete', named(ofDelete)],
]);
