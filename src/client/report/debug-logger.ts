/** The name by which `DEBUG` turns the log of steps on. */
const NAMESPACE = 'analytics';

type DebugLogger = Readonly<Record<'debug' | 'warn' | 'error', (line: string) => void>>;

/** Returns a logger that writes to standard error; undefined unless `DEBUG` asks for steps. */
export function debugLogger(debug = process.env['DEBUG'] ?? ''): DebugLogger | undefined {
  return isDebugging(debug, NAMESPACE) ? { debug: print, warn: print, error: print } : undefined;
}

/** Prints a line, with the time after its prefix. */
function print(line: string): void {
  process.stderr.write(`${line.replace(': ', `: ${new Date().toISOString()} `)}\n`);
}

/**
 * Returns true if `DEBUG` includes a namespace, by the rules of the `debug` package: names separated by commas or spaces, `*` for
 * any text, and a leading `-` to exclude.
 */
export function isDebugging(debug: string, namespace: string): boolean {
  const names = debug.split(/[\s,]+/).filter((name) => name !== '');
  const matches = (name: string): boolean => patternOf(name).test(namespace);
  const isLeftOut = names.some((name) => name.startsWith('-') && matches(name.slice(1)));
  return !isLeftOut && names.some((name) => !name.startsWith('-') && matches(name));
}

const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`);
