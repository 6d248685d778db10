import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    runFolder?: string;
  }
}

let folder = '';

/**
 * Creates a folder in which all processes of a run share what takes long to make. A configuration names this file as a global setup.
 * The folder is below node_modules, so that a program in it finds the installed packages.
 */
export function setup({ provide }: TestProject): void {
  folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.eventferry-run-', import.meta.url)));
  provide('runFolder', folder);
}

/** Removes the folder at the end of the run. */
export const teardown = (): void => rmSync(folder, { recursive: true, force: true });

/** Returns the folder of the run. Throws if its configuration has no such global setup. */
export function runFolder(): string {
  const given = inject('runFolder');
  if (given === undefined) throw new Error('The configuration has no globalSetup: test/support/run-folder.ts');
  return given;
}

/**
 * Makes a folder once in a run: the first process makes it, and the others wait.
 * | @param name the name of the folder inside the folder of the run
 * @param make fills an empty folder, which is moved to its place afterwards. If it fails, a waiting process tries again
 * @returns the path of the folder
 */
export async function onceInRun(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(runFolder(), name);
  const unfinished = `${folder}.unfinished`;
  while (!existsSync(folder)) {
    if (!claims(unfinished)) {
      await setTimeout(20);
      continue;
    }
    try {
      // Another process may have finished between the two looks.
      if (existsSync(folder)) break;
      await make(unfinished);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return folder;
}

/** Creates the folder and returns true, unless another process has created it. */
function claims(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
