import { randomBytes } from 'node:crypto';
import fs, { mkdirSync, rmSync } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EventferryError } from '../base/errors/errors.js';
import { endBySignal } from '../base/process/end-by-signal.js';
import { makeFolder } from '../base/process/make-folder.js';
import { formatCount } from '../base/text/plural.js';
import { CliError, codeOf, reasonOf, unusable } from './cli-error.js';
import type { CliCommand } from './command.js';
import { checkStore } from './options/file.js';
import { onInterrupt } from './terminal/interruption.js';
import type { Terminal } from './terminal/terminal.js';

const OWNER_ONLY = 0o700;

export function backupCommand(command: CliCommand): void {
  command
    .description('copy an lmdb store while a process writes to it')
    .argument('<from>', 'folder of the lmdb store, or of the service')
    .argument('<to>', 'folder to make; must not exist')
    .examples('backup ./data /var/backups/eventferry-$(date +%F)')
    .runs(async () => backup);
}

async function backup(from: string, folder: string, _: object, terminal: Terminal): Promise<void> {
  const to = resolve(folder);
  await checkStore(from);
  await refuseExisting(to);
  const { bytes } = await copyTo(to, from).catch((error: unknown) => {
    if (error instanceof CliError || error instanceof EventferryError) throw error;
    throw unusable(
      `the copy could not be written to ${to}: ${reasonOf(error)}; the incomplete copy was removed`,
      error,
    );
  });
  terminal.print(`backed up  ${from}  to ${to}  ${formatCount(bytes)} bytes`, { store: from, backup: to, bytes });
}

/** The copy is written to a draft folder and renamed once it is complete, so that half a copy never looks like a complete one. */
async function copyTo(to: string, from: string): Promise<{ readonly bytes: number }> {
  const { copyLmdbFolder, flush } = await import('../store/lmdb/lmdb-copy.js');
  makeFolder(fs, dirname(to));
  const draft = `${to}.incomplete-${randomBytes(3).toString('hex')}`;
  const stopListening = onInterrupt(() => {
    // The copy may be creating its file at this moment.
    rmSync(draft, { recursive: true, force: true, maxRetries: 3 });
    // A normal exit would wait until lmdb has copied everything.
    endBySignal('SIGINT');
  });
  try {
    // This call is synchronous, so a signal cannot be handled before the folder exists, which would leave it behind.
    mkdirSync(draft, OWNER_ONLY);
    const copied = await copyLmdbFolder(from, draft);
    await refuseExisting(to);
    await rename(draft, to);
    await flush(dirname(to));
    return copied;
  } finally {
    stopListening();
    await rm(draft, { recursive: true, force: true });
  }
}

/** @throws CliError */
async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw unusable(`${path}: ${reasonOf(error)}`, error);
  });
  if (found !== undefined) throw unusable(`${path} exists already; give a folder that does not`);
}
