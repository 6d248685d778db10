import { commonFields, type Field, IS_JSON } from '../../protocol/field-table.js';
import { ownFields } from '../../protocol/own-fields.js';
import { CliError } from '../cli-error.js';
import { type CsvColumn, columnOf, convertCell } from './cell.js';

/** The options that turn a CSV record into a message. */
export interface CsvOptions {
  /** `field=column` or `field=column:number`. @default each column fills the field of its name */
  readonly map?: readonly string[] | undefined;
  /** `field=value`: the value of a field in every row. */
  readonly set?: readonly string[] | undefined;
  /** Texts that mean no value, like an empty cell: `NULL`, `\\N`. */
  readonly null?: readonly string[] | undefined;
}

/** @throws RowError if a value does not have the type that the mapping gives it */
export type Mapping = (record: readonly string[]) => Record<string, unknown>;

/** Fills a field of the message. */
interface Filler {
  readonly path: readonly string[];
  /** Returns the value of the field in a record; undefined if it has none. */
  read(record: readonly string[]): unknown;
}

const FIELDS: ReadonlyMap<string, Field> = new Map(
  [commonFields, ...Object.values(ownFields)].flatMap((each) => Object.entries<Field>(each)),
);

/** @throws CliError if `--map` or `--set` is wrong for every file: it names an unknown field, or fills a field twice */
export function checkFields({ map = [], set = [] }: CsvOptions): void {
  checkEachOnce([...map, ...set].map((text) => pathOf(cut(text)[0]).join('.')));
}

/** @throws Error if the header or the mapping names an unknown field or column, or fills a field twice */
export function mappingOf(header: readonly string[], { map, set = [], null: nulls = [] }: CsvOptions): Mapping {
  const absent = new Set(['', ...nulls]);
  const fillerOf = (field: string, { column, index, conversion }: CsvColumn): Filler => {
    const kind = FIELDS.get(field)?.kind;
    const to = conversion === 'text' && kind !== undefined && IS_JSON[kind] ? 'json' : conversion;
    const read = (text = ''): unknown => (absent.has(text) ? undefined : convertCell(text, to, column));
    return { path: pathOf(field), read: (record) => read(record[index]) };
  };
  const named = (name: string, index: number): Filler[] => {
    const column = name.trim();
    return column === '' ? [] : [fillerOf(column, { column, index, conversion: 'text' })];
  };
  const mapped = (text: string): Filler => {
    const [field, source] = cut(text);
    return fillerOf(field, columnOf(source, header, 'the columns are'));
  };
  const fixed = (text: string): Filler => {
    const [field, value] = cut(text);
    return { path: pathOf(field), read: () => value };
  };
  const fillers = [...(map?.map(mapped) ?? header.flatMap(named)), ...set.map(fixed)];
  checkEachOnce(fillers.map(({ path }) => path.join('.')));
  return (record) => {
    const message: Record<string, unknown> = {};
    for (const { path, read } of fillers) {
      const value = read(record);
      if (value !== undefined) put(message, path, value);
    }
    return message;
  };
}

/** Cuts `field=rest`. */
function cut(text: string): [field: string, rest: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws CliError if a field is filled twice, or together with a part of it, because one of the values would be lost */
function checkEachOnce(paths: readonly string[]): void {
  for (const [index, path] of paths.entries()) {
    const other = paths
      .slice(0, index)
      .find((before) => `${path}.`.startsWith(`${before}.`) || before.startsWith(`${path}.`));
    if (other !== undefined)
      throw new CliError(`${other} and ${path} are both filled; keep one column, --map or --set`);
  }
}

/** @throws CliError if there is no such field, because a misspelt column must not become an unknown field */
function pathOf(field: string): readonly string[] {
  const path = field.split('.');
  const [name = '', ...inside] = path;
  const isKnown = inside.length === 0 ? name === 'type' || FIELDS.has(name) : FIELDS.get(name)?.kind === 'object';
  if (isKnown && !path.includes('') && !path.includes('__proto__')) return path;
  throw new CliError(`"${field}" is not a field of a message; properties.NAME in --map or --set makes it a property`);
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
