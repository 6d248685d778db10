import { itemsIn, type ListFormats, listIn, type SyncOptions } from '../../src/cli/audience/list-file.js';
import { open } from '../../src/cli/import/input.js';

/** Reads the items of a list as `audience sync` and `trait sync` do. */
export async function* itemsOf<T>(path: string, options: SyncOptions, formats: ListFormats<T>): AsyncGenerator<T> {
  const input = await listIn(path, options, formats);
  yield* itemsIn(open(input), input, formats);
}
