import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone after the test. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'eventferry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where files are in memory, on systems that have such a place: a test that flushes many times does not wait for a disk there. */
export const inMemory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
