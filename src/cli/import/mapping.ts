import { commonFields, type Field, IS_JSON } from '../../protocol/field-table.js';
import { ownFields } from '../../protocol/own-fields.js';
import { CliError } from '../cli-error.js';
import { type Conversion, type CsvColumn, columnOf, convertCell } from './cell.js';

/** The options that turn a CSV record into a message. */
export interface MappingOptions {
  /** `field=column` or `field=column:number`. @default each column fills the field of its name */
  readonly map?: readonly string[] | undefined;
  /** `field=value`: the value of a field in every row. */
  readonly set?: readonly string[] | undefined;
  /** Texts that mean no value, like an empty cell: `NULL`, `\\N`. */
  readonly null?: readonly string[] | undefined;
}

/** The options of CSV. */
export interface CsvOptions extends MappingOptions {
  /** The text between two values. @default the delimiter of the input */
  readonly delimiter?: string | undefined;
}

/** @throws RowError if a value does not have the type that the mapping gives it */
export type Mapping = (record: readonly string[]) => Record<string, unknown>;

/** A field of the message that an option or a column fills. */
interface MappedField {
  readonly path: readonly string[];
  /** The option, or the header. */
  readonly by: string;
}

interface Filler extends MappedField {
  /** Returns the value of the field in a record; undefined if it has none. */
  read(record: readonly string[]): unknown;
}

const FIELDS: ReadonlyMap<string, Field> = new Map(
  [commonFields, ...Object.values(ownFields)].flatMap((each) => Object.entries<Field>(each)),
);

/** @throws CliError if `--map` or `--set` is wrong for every file: it names an unknown field, or a field is filled twice */
export function checkFields({ map = [], set = [] }: MappingOptions): void {
  checkEachOnce([
    ...map.map((text) => targetOf(cut(text)[0], '--map')),
    ...set.map((text) => targetOf(cut(text)[0], '--set')),
  ]);
}

/** @throws Error if the header or the mapping names an unknown field or column */
export function mappingOf(header: readonly string[], { map, set = [], null: nulls = [] }: MappingOptions): Mapping {
  const absent = new Set(['', ...nulls]);
  const fillerOf = (target: MappedField, { column, index, conversion }: CsvColumn): Filler => ({
    ...target,
    read(record) {
      const text = record[index] ?? '';
      return absent.has(text) ? undefined : convertCell(text, conversionTo(target, conversion), column);
    },
  });
  const named = (name: string, index: number): Filler[] => {
    const column = name.trim();
    return column === '' ? [] : [fillerOf(targetOf(column, 'the header'), { column, index, conversion: 'text' })];
  };
  const mapped = (text: string): Filler => {
    const [field, source] = cut(text);
    return fillerOf(targetOf(field, '--map'), columnOf(source, header, 'the columns are', `--map ${text}: `));
  };
  const fillers = [
    ...(map === undefined ? header.flatMap(named) : map.map(mapped)),
    ...set.map(cut).map(([field, value]) => ({ ...targetOf(field, '--set'), read: () => value })),
  ];
  checkEachOnce(fillers);
  return (record) => {
    const message: Record<string, unknown> = {};
    for (const { path, read } of fillers) {
      const value = read(record);
      if (value !== undefined) put(message, path, value);
    }
    return message;
  };
}

/** A whole object can only be given as JSON. */
function conversionTo({ path: [name = '', ...inside] }: MappedField, conversion: Conversion): Conversion {
  const field = inside.length === 0 ? FIELDS.get(name) : undefined;
  return field !== undefined && IS_JSON[field.kind] && conversion === 'text' ? 'json' : conversion;
}

/** Cuts `field=rest`. */
function cut(text: string): [field: string, rest: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws CliError if a field, or a part of it, is filled twice, because one of the values would be lost */
function checkEachOnce(targets: readonly MappedField[]): void {
  for (const [index, { path, by }] of targets.entries()) {
    const other = targets.slice(0, index).find((before) => overlap(before.path, path));
    if (other === undefined) continue;
    const twice = `${other.by} fills ${other.path.join('.')}, and ${by} fills ${path.join('.')}`;
    throw new CliError(`${twice}; keep one of them, or choose the columns with --map`);
  }
}

/** Tells whether two paths are the same, or one is inside the other. */
const overlap = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).every((key, index) => key === other[index]);

/** @throws CliError if there is no such field, because a misspelt column must not become an unknown field */
function targetOf(field: string, by: string): MappedField {
  const path = field.split('.');
  const [name = '', ...inside] = path;
  const isKnown = inside.length === 0 ? name === 'type' || FIELDS.has(name) : FIELDS.get(name)?.kind === 'object';
  if (isKnown && !path.includes('') && !path.includes('__proto__')) return { path, by };
  throw new CliError(
    `${by}: "${field}" is not a field of a message; --map properties.NAME=${field} makes it a property`,
  );
}

function put(message: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = message;
  for (const key of path.slice(0, -1)) {
    // An inherited property, such as `constructor`, is not a part of the message.
    if (!Object.hasOwn(target, key)) target[key] = {};
    target = target[key] as Record<string, unknown>;
  }
  target[path.at(-1) ?? ''] = value;
}
