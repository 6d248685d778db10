import { LoadError } from '../../base/errors/errors.js';

interface Modules {
  'node:async_hooks': typeof import('node:async_hooks');
  'node:events': typeof import('node:events');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
  'node:net': typeof import('node:net');
  'node:tls': typeof import('node:tls');
  'node:zlib': typeof import('node:zlib');
}

/**
 * Loads one of Node's own modules when it is first needed, so that importing the package costs next to nothing. Neither
 * `import()` nor `require` works everywhere: a script may run in a context that has neither.
 *
 * @throws LoadError
 */
export function load<Name extends keyof Modules>(name: Name): Modules[Name] {
  try {
    const found: Modules[Name] | undefined = process.getBuiltinModule(name);
    if (found === undefined) throw new Error('this runtime does not have it');
    return found;
  } catch (cause) {
    throw new LoadError(name, cause);
  }
}

/**
 * Returns true if a file may be loaded at any time. Jest fails a run that loads a file after its test has ended, which happens
 * with a client that is never closed.
 */
export const mayLoadLater = (): boolean => process.env['JEST_WORKER_ID'] === undefined;
