/** The name under which `DEBUG` switches the steps on. */
const NAMESPACE = 'analytics';

type DebugLogger = Readonly<Record<'debug' | 'warn' | 'error', (line: string) => void>>;

/** Writes to standard error; undefined unless `DEBUG` asks for steps. */
export function debugLogger(debug = process.env['DEBUG'] ?? ''): DebugLogger | undefined {
  return isDebugging(debug, NAMESPACE) ? { debug: print, warn: print, error: print } : undefined;
}

/** Prints a line, with the time behind the prefix that every line has. */
function print(line: string): void {
  process.stderr.write(`${line.replace(': ', `: ${new Date().toISOString()} `)}\n`);
}

/**
 * Tells whether `DEBUG` names a namespace, as the `debug` package reads it: names apart by commas or spaces, `*` for anything, a
 * leading `-` to leave out.
 */
export function isDebugging(debug: string, namespace: string): boolean {
  const names = debug.split(/[\s,]+/).filter((name) => name !== '');
  const matches = (name: string): boolean => patternOf(name).test(namespace);
  const isLeftOut = names.some((name) => name.startsWith('-') && matches(name.slice(1)));
  return !isLeftOut && names.some((name) => !name.startsWith('-') && matches(name));
}

const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`);
