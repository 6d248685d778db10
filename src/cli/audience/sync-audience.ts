import { parseJson } from '../../base/text/decode.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { listedUsers } from '../../service/audiences/listed-users.js';
import { describeProblem, userIdProblem } from '../../service/audiences/user-id-problem.js';
import type { InputFile } from '../import/input.js';
import { RowError } from '../import/row.js';
import { type AdminOptions, adminOf } from '../options/service-command.js';
import type { Terminal } from '../terminal/terminal.js';
import { columnIn, type ListFormats, type SyncOptions, syncFile } from './list-file.js';

export interface AudienceCommandOptions extends SyncOptions {
  /** The format of the file. @default derived from the name of the file */
  readonly format?: InputFile['format'] | undefined;
  readonly allowStandardTrait?: boolean | undefined;
}

/** Makes the ids of a file the members of an audience. */
export async function syncAudience(
  file: string,
  options: AdminOptions & AudienceCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const admin = await adminOf(options);
  return syncFile(
    {
      noun: 'audience',
      items: 'ids',
      emptied: 'let every member leave',
      formats: idFormats(options),
      send: (name, ids, signal) =>
        admin.syncAudience(name, ids, { signal, allowStandardTrait: options.allowStandardTrait }),
      tell: ({ joined, left, members, trait }) =>
        `${formatCount(joined)} joined, ${formatCount(left)} left, ${plural(members, 'member')}, trait ${trait}`,
    },
    file,
    options,
    terminal,
  );
}

export const idFormats = ({ format, column }: AudienceCommandOptions): ListFormats<string> => ({
  formatOf(input) {
    if (format !== undefined) return format;
    if (column !== undefined || input.format === 'csv') return 'csv';
    return /\.(ndjson|jsonl|json)(\.gz)?$/i.test(input.name) ? 'ndjson' : 'text';
  },
  csvFlags: { '--column': column },
  readerOf(header) {
    const index = columnIn(header, column);
    return (cells) => checkedId(cells[index] ?? '');
  },
  itemOf(line) {
    const text = line.trim();
    // If `"u1"` were read as an id with its quotes, every member would leave and be replaced by an unknown user.
    if (format === undefined && /^["{[]/.test(text) && parseJson(text) !== undefined) {
      throw new RowError('looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is');
    }
    return checkedId(text);
  },
  async *ndjson(chunks) {
    for await (const { userId } of listedUsers('audience', chunks)) yield userId;
  },
});

/** @throws RowError if the text cannot be the id of a user */
function checkedId(id: string): string {
  const problem = userIdProblem(id);
  if (problem !== undefined) throw new RowError(id === '' ? 'has no id' : describeProblem(problem));
  return id;
}
