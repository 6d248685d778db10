/**
 * Returns the path of the file in which this code runs: one of the package, or the bundle that contains it. Returns undefined if
 * the runtime does not tell. The path comes from a stack trace, because `import.meta` is a syntax error in CommonJS, and a bundle
 * may be either.
 */
export function thisFile(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  // A plain assignment would throw if the program has frozen `Error`.
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
 * Returns a `require` for the installed package's own files and its dependencies, written so that no bundler follows it. Code in
 * a bundle finds the package if it is installed beside the bundle.
 *
 * @throws if the package is not installed
 */
export function requireInstalled(): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  const here = createRequire(thisFile() ?? `${process.cwd()}/`);
  return createRequire(here.resolve('eventferry/package.json'));
}
