import type * as z from 'zod/mini';
import { type Keys, valueAt } from './key-path.js';
import { meanings } from './schema-fields.js';

type Schema = z.core.$ZodTypes;

/** Returns the names that the schema allows for the object at a path of a value; none if the schema has no object there. */
export function namesAt(root: z.ZodMiniType, value: unknown, keys: Keys): string[] {
  const schema = schemaAt(root, value, keys);
  return schema?._zod.def.type === 'object' ? Object.keys(schema._zod.def.shape) : [];
}

/** Returns `number` or `boolean` if the schema expects such a value at a path of a value. */
export function kindAt(root: z.ZodMiniType, value: unknown, keys: Keys): 'number' | 'boolean' | undefined {
  const type = schemaAt(root, value, keys)?._zod.def.type;
  return type === 'number' || type === 'boolean' ? type : undefined;
}

function schemaAt(root: z.ZodMiniType, value: unknown, keys: Keys): Schema | undefined {
  let schema: Schema | undefined = root as unknown as Schema;
  for (const [depth, key] of keys.entries()) schema = child(chosen(schema, valueAt(value, keys.slice(0, depth))), key);
  return chosen(schema, valueAt(value, keys));
}

function child(schema: Schema | undefined, key: string | number): Schema | undefined {
  const def = schema?._zod.def;
  if (def?.type === 'array') return def.element as Schema;
  return def?.type === 'object' && Object.hasOwn(def.shape, key) ? (def.shape[key] as Schema) : undefined;
}

/** Unwraps an optional schema. Among alternatives it chooses the one with the value's `type`, or else the first object. */
function chosen(schema: Schema | undefined, value: unknown): Schema | undefined {
  const def = schema?._zod.def;
  if (def?.type === 'optional' || def?.type === 'prefault') return chosen(def.innerType as Schema, value);
  if (def?.type !== 'union') return schema;
  const objects = (def.options as Schema[]).filter((option) => option._zod.def.type === 'object');
  return objects.find((option) => isOfType(option, valueAt(value, ['type']))) ?? objects[0];
}

function isOfType(option: Schema, type: unknown): boolean {
  const named = child(option, 'type');
  const def = chosen(named, undefined)?._zod.def;
  return def?.type === 'literal' && def.values.includes((type ?? (named && meanings.get(named)?.default)) as never);
}
