import { OptionError } from '../../base/errors/errors.js';
import { OTHER_PATHS } from '../../protocol/collector-paths.js';
import { isMessageTypeName } from '../../protocol/message-checks.js';

/**
 * Refuses an endpoint that already ends with one of the collector's paths, because it would give a URL that does not exist.
 *
 * @throws OptionError
 */
export function refusePath(endpoint: string): void {
  const { origin, pathname } = new URL(endpoint);
  const [route = '', name = ''] = /\/v1\/(\w+)\/*$/i.exec(pathname) ?? [];
  const path = name.toLowerCase();
  if (!isMessageTypeName(path) && !Object.hasOwn(OTHER_PATHS, path)) return;
  const base = `${origin}${pathname.slice(0, -route.length)}`;
  const expected = "the collector's base URL, to which `/v1/batch` is appended";
  throw new OptionError('client', 'endpoint', expected, `one that ends in ${route}`, `Give '${base}'`);
}
