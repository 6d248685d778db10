import { FORMATS } from './formats.js';
import { type Held, KEYWORDS } from './keywords.js';
import { DESCRIBED_TYPES } from './plan.js';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const SCHEMA = { $ref: '#/definitions/schema' };
const TEXT = { type: 'string' };

const HOLDS: Readonly<Record<Held, object>> = {
  schema: SCHEMA,
  schemas: { type: 'array', items: SCHEMA },
  'schemas by name': { type: 'object', additionalProperties: SCHEMA },
  values: {},
};

/** Values for editors to suggest and check. Reading a plan checks all values anyway. */
const VALUES: Readonly<Record<string, object>> = {
  type: { anyOf: [{ enum: TYPES }, { type: 'array', items: { enum: TYPES } }] },
  format: { enum: [...FORMATS.keys()] },
  $ref: { type: 'string', pattern: '^#/' },
  description: TEXT,
  pattern: TEXT,
  required: { type: 'array', items: TEXT },
  enum: { type: 'array', minItems: 1 },
};

/** The JSON Schema of the file of a tracking plan, in draft 7, because every editor reads it. */
export const planJsonSchema = (): object => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A tracking plan of eventferry',
  type: 'object',
  properties: {
    $schema: { ...TEXT, description: 'Where this schema is, for editors.' },
    description: TEXT,
    events: {
      ...HOLDS['schemas by name'],
      description: 'By the name of a track event, the JSON Schema of its properties.',
    },
    ...Object.fromEntries(
      DESCRIBED_TYPES.map((type) => [type, { allOf: [SCHEMA], description: `What ${type} holds.` }]),
    ),
    $defs: { ...HOLDS['schemas by name'], description: 'Schemas that others refer to, as #/$defs/NAME.' },
  },
  required: ['events'],
  additionalProperties: false,
  definitions: {
    schema: {
      type: ['object', 'boolean'],
      properties: Object.fromEntries(Array.from(KEYWORDS, ([name, held]) => [name, VALUES[name] ?? HOLDS[held]])),
      patternProperties: { '^x-': {} },
      additionalProperties: false,
    },
  },
});
