const STANDARD_ERROR = 2;

/** Returns true if the program was started without warnings, by the same rules as Node. */
export function areWarningsOff({ execArgv, env }: Pick<typeof process, 'execArgv' | 'env'> = process): boolean {
  if (env['NODE_NO_WARNINGS'] === '1') return true;
  return [...(env['NODE_OPTIONS'] ?? '').split(/\s+/), ...execArgv].includes('--no-warnings');
}

/** Writes a warning at once, so that it appears even if the process ends right after. Node's warnings come a turn later. */
export function printNow(line: string): void {
  if (areWarningsOff()) return;
  try {
    process.getBuiltinModule('node:fs').writeSync(STANDARD_ERROR, `${line}\n`);
  } catch {
    // The cause is a closed pipe or a full disk. Throwing here would change the exit code and keep other listeners of the exit
    // from running.
  }
}
