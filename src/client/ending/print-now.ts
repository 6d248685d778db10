const STANDARD_ERROR = 2;

/** The arguments and the environment that a program of Node was started with. */
interface Start {
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Tells, as Node itself does, whether whoever started the program wants no warnings. */
export function areWarningsOff({ execArgv, env }: Start = process): boolean {
  if (env['NODE_NO_WARNINGS'] === '1') return true;
  return [...(env['NODE_OPTIONS'] ?? '').split(/\s+/), ...execArgv].includes('--no-warnings');
}

/** Writes a warning before this returns, also when the process ends right after. A warning of Node comes a turn later. */
export function printNow(line: string): void {
  if (areWarningsOff()) return;
  try {
    process.getBuiltinModule('node:fs').writeSync(STANDARD_ERROR, `${line}\n`);
  } catch {
    // It is a closed pipe or a full disk. To throw here would change the exit code, and keep from the others that it ends.
  }
}
