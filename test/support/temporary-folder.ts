import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'eventferry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a folder in memory if the system has one, so that a test that flushes many times does not wait for a disk. */
export const inMemory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
