import { formatCount, plural } from '../../base/text/plural.js';
import type { TraitValue } from '../../service/api/requests.js';
import { valueIn } from '../../service/audiences/given-users.js';
import { listedUsers } from '../../service/audiences/listed-users.js';
import { columnIn, type ListFormats, type SyncOptions, syncFile } from '../audience/list-file.js';
import { columnOf, convertCell } from '../import/cell.js';
import { RowError } from '../import/row.js';
import { type AdminOptions, adminOf } from '../options/service-command.js';
import type { Terminal } from '../terminal/terminal.js';

export interface SyncTraitOptions extends SyncOptions {
  /** @default derived from the file's name */
  readonly format?: 'ndjson' | 'csv' | undefined;
  /** CSV: the column with the values, optionally with their type: `ltv:number`. @default `value` */
  readonly value?: string | undefined;
}

/** Replaces the values of a computed trait by those in a file. */
export async function syncTrait(
  file: string,
  options: AdminOptions & SyncTraitOptions,
  terminal: Terminal,
): Promise<void> {
  const admin = await adminOf(options);
  return syncFile(
    {
      noun: 'trait',
      items: 'values',
      emptied: 'remove the value of every user',
      formats: valueFormats(options),
      send: (name, values, signal) => admin.syncTrait(name, values, { signal }),
      tell: ({ added, changed, removed, users, trait }) =>
        [
          `${formatCount(added)} added`,
          `${formatCount(changed)} changed`,
          `${formatCount(removed)} removed`,
          plural(users, 'user'),
          `trait ${trait}`,
        ].join(', '),
    },
    file,
    options,
    terminal,
  );
}

export const valueFormats = ({ format, column: idColumn, value }: SyncTraitOptions): ListFormats<TraitValue> => ({
  formatOf: (input) => format ?? (value === undefined ? input.format : 'csv'),
  csvFlags: { '--column': idColumn, '--value': value },
  readerOf(header) {
    const idIndex = columnIn(header, idColumn);
    const { column, index, conversion } = columnOf(value ?? 'value', header, 'give --value NAME, one of');
    return (cells) => {
      const text = cells[index] ?? '';
      // An empty cell means no value.
      const entry = { userId: cells[idIndex] ?? '', value: text === '' ? null : convertCell(text, conversion, column) };
      const user = valueIn(entry);
      if (typeof user === 'string') throw new RowError(user);
      return entry;
    };
  },
  async *ndjson(chunks) {
    for await (const { userId, json } of listedUsers('trait', chunks)) {
      yield { userId, value: json === undefined ? null : JSON.parse(json) };
    }
  },
});
