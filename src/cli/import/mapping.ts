import { commonFields, type Field } from '../../protocol/field-table.js';
import { ownFields } from '../../protocol/own-fields.js';
import { CliError } from '../cli-error.js';
import { type Conversion, columnOf, convertCell } from './cell.js';

/** The options that turn a CSV record into a message. */
export interface MappingOptions {
  /** `field=column` or `field=column:number`. @default each column fills the field of its name */
  readonly map?: readonly string[] | undefined;
  /** `field=value`: the value of a field in every row. */
  readonly set?: readonly string[] | undefined;
  /** Texts that mean no value, like an empty cell: `NULL`, `\\N`. */
  readonly nulls?: readonly string[] | undefined;
}

/** The options of CSV. */
export interface CsvOptions extends MappingOptions {
  /** The text between two values. @default the delimiter of the input */
  readonly delimiter?: string | undefined;
}

/** @throws RowError if a value does not have the type that the mapping gives it */
export type Mapping = (record: readonly string[]) => Record<string, unknown>;

interface Filler {
  readonly path: readonly string[];
  readonly index: number;
  readonly column: string;
  readonly conversion: Conversion;
}

const fields: readonly (readonly [name: string, field: Field])[] = [commonFields, ...Object.values(ownFields)].flatMap(
  (each) => Object.entries<Field>(each),
);
const namesOf = (isObject: boolean): string[] => [
  ...new Set(fields.filter(([, { kind }]) => (kind === 'object') === isObject).map(([name]) => name)),
];
const OBJECT_FIELDS = namesOf(true);
const TEXT_FIELDS = ['type', ...namesOf(false)];

/** @throws CliError if `--map` or `--set` is wrong for every file: it names an unknown field, or a field is filled twice */
export const checkFields = ({ map = [], set = [] }: MappingOptions): void =>
  checkEachOnce(fieldsOf(map, '--map'), fieldsOf(set, '--set'), '--map');

/** @throws Error if the header or the mapping names an unknown field or column */
export function mappingOf(header: readonly string[], { map, set = [], nulls = [] }: MappingOptions): Mapping {
  const fillers =
    map === undefined
      ? header.map(named).filter(({ column }) => column !== '')
      : map.map((text) => mapped(text, header));
  const constants = fieldsOf(set, '--set');
  checkEachOnce(fillers, constants, map === undefined ? 'the header' : '--map');
  const absent = new Set(['', ...nulls]);
  return (record) => {
    const message: Record<string, unknown> = {};
    for (const { path, value } of constants) put(message, path, value);
    for (const filler of fillers) {
      const text = record[filler.index];
      // An empty cell means no value.
      if (text !== undefined && !absent.has(text)) put(message, filler.path, convert(text, filler));
    }
    return message;
  };
}

const fieldsOf = (texts: readonly string[], where: string) =>
  texts.map((text) => {
    const [field, value] = cut(text);
    return { path: pathOf(field, where), value };
  });

function named(name: string, index: number): Filler {
  const column = name.trim();
  const path = column === '' ? [] : pathOf(column, 'the header');
  return { path, index, column, conversion: 'text' };
}

function mapped(text: string, header: readonly string[]): Filler {
  const [field, source] = cut(text);
  return { path: pathOf(field, '--map'), ...columnOf(source, header, 'the columns are', `--map ${text}: `) };
}

function cut(text: string): [field: string, rest: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

type Filled = Pick<Filler, 'path'>;

/** @throws CliError if a field, or a part of it, is filled twice, because one of the values would be lost */
function checkEachOnce(columns: readonly Filled[], constants: readonly Filled[], where: string): void {
  const filled = [
    ...columns.map(({ path }) => ({ path, by: where })),
    ...constants.map(({ path }) => ({ path, by: '--set' })),
  ];
  for (const [index, { path, by }] of filled.entries()) {
    const other = filled.slice(0, index).find((before) => overlap(before.path, path));
    if (other === undefined) continue;
    const twice = `${other.by} fills ${other.path.join('.')}, and ${by} fills ${path.join('.')}`;
    throw new CliError(`${twice}; keep one of them, or choose the columns with --map`);
  }
}

/** Tells whether two paths are the same, or one is inside the other. */
const overlap = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).every((key, index) => key === other[index]);

/** @throws CliError if there is no such field, because a misspelt column must not become an unknown field */
function pathOf(field: string, where: string): readonly string[] {
  const path = field.split('.');
  const [root = ''] = path;
  const isKnown = path.length === 1 ? [...TEXT_FIELDS, ...OBJECT_FIELDS].includes(root) : OBJECT_FIELDS.includes(root);
  if (isKnown && !path.includes('') && !path.includes('__proto__')) return path;
  throw new CliError(
    `${where}: "${field}" is not a field of a message; --map properties.NAME=${field} makes it a property`,
  );
}

function convert(text: string, { conversion, column, path }: Filler): unknown {
  // A whole object field can only be given as JSON.
  const isObject = path.length === 1 && OBJECT_FIELDS.includes(path[0] ?? '');
  return convertCell(text, isObject && conversion === 'text' ? 'json' : conversion, column);
}

function put(message: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = message;
  for (const key of path.slice(0, -1)) target = child(target, key);
  target[path.at(-1) ?? ''] = value;
}

function child(target: Record<string, unknown>, key: string): Record<string, unknown> {
  const existing = Object.hasOwn(target, key) ? target[key] : undefined;
  if (typeof existing === 'object' && existing !== null) return existing as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  target[key] = made;
  return made;
}
