import type * as z from 'zod/mini';
import { type Keys, valueAt } from './key-path.js';
import { meanings } from './schema-fields.js';

type Schema = z.core.$ZodTypes;

/** The names that an object at a path of a value of the schema may have; none where there is no object. */
export function namesAt(root: z.ZodMiniType, value: unknown, keys: Keys): string[] {
  const schema = schemaAt(root, value, keys);
  return schema?._zod.def.type === 'object' ? Object.keys(schema._zod.def.shape) : [];
}

/** Returns `number` or `boolean` where such a value belongs at a path of a value of the schema. */
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

/** Unwraps an optional schema. Of alternatives it takes the one with the value's `type`, or else the first object. */
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
