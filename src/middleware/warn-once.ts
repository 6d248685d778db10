/** The part of `process` that every platform with a `process` has. */
interface Warned {
  emitWarning?(text: string, options: { type: string; code: string }): void;
}

const warnedOf = new Set<string>();

/** Warns the operator once for each kind, because a mistake with one request recurs with the next. */
export function warnOnce(kind: string, text: string, code: string): void {
  if (warnedOf.has(kind)) return;
  warnedOf.add(kind);
  const line = `eventferry: ${text}; this is told once`;
  const { process } = globalThis as { process?: Warned };
  if (process?.emitWarning !== undefined) process.emitWarning(line, { type: 'EventferryWarning', code });
  // biome-ignore lint/suspicious/noConsole: where there is no process there is no other place.
  else console.warn(`${line} (${code})`);
}
