import { formatCount } from '../base/text/plural.js';
import { whenInUse } from './cli-error.js';
import type { CliCommand } from './command.js';
import { checkStore } from './options/file.js';
import type { Terminal } from './terminal/terminal.js';

export function compactCommand(command: CliCommand): void {
  command
    .description("rewrite a store's file without what was deleted")
    .argument('<path>', 'folder of the lmdb store, or of the service')
    .examples('compact ./data')
    .runs(async () => compact);
}

async function compact(path: string, _: object, terminal: Terminal): Promise<void> {
  // This is checked first, because taking the lock would create files in a folder that holds no store.
  await checkStore(path);
  const { compactLmdbFolder } = await import('../store/lmdb/lmdb-copy.js');
  const { bytesBefore, bytesAfter } = await compactLmdbFolder(path).catch(
    whenInUse((owner) => `${owner} has the store open; end that process first`),
  );
  const text = `compacted  ${path}  ${formatCount(bytesBefore)} bytes before, ${formatCount(bytesAfter)} after`;
  terminal.print(text, { store: path, bytesBefore, bytesAfter });
}
