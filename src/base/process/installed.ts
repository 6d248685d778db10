/**
 * The path of the file in which this code runs: one of the package, or the one that a bundler has put it into. Undefined where the
 * runtime does not say. The stack is asked, because `import.meta` is no syntax of CommonJS, and a bundle may be either.
 */
export function thisFile(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  // A plain assignment would throw where a program has frozen `Error`.
  Reflect.set(Error, 'stackTraceLimit', 1);
  Reflect.set(Error, 'prepareStackTrace', (_: Error, frames: readonly NodeJS.CallSite[]) => frames[0]?.getFileName());
  const found: unknown = new Error().stack;
  Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  const name = String(found);
  if (name.startsWith('file:')) return process.getBuiltinModule('node:url').fileURLToPath(name);
  return process.getBuiltinModule('node:path').isAbsolute(name) ? name : undefined;
}

/**
 * Returns the `require` of the installed package, for its own files and for what is installed with it, in a way that no bundler
 * follows. Code in a bundle finds the package if it is installed beside the bundle.
 *
 * @throws where it is not
 */
export function requireInstalled(): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  const here = createRequire(thisFile() ?? `${process.cwd()}/`);
  return createRequire(here.resolve('eventferry/package.json'));
}
