import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';

/** Returns true if a program of this name is in one of the folders of `PATH`. */
function exists(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Skips the test, with the reason, if one of the programs that it starts is missing. `npm test` needs only Node. */
export function needs({ skip }: Pick<TestContext, 'skip'>, ...commands: readonly string[]): void {
  const missing = commands.filter((command) => !exists(command));
  if (missing.length > 0) skip(`there is no ${missing.join(' and no ')} here`);
}
