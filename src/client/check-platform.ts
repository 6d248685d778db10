import { OptionError } from '../base/errors/errors.js';
import { kindOf } from '../base/text/describe.js';

/**
 * Refuses a second argument of `new Analytics`, which is for our own tests. A user's argument would be options that have no
 * effect.
 *
 * @throws OptionError
 */
export function checkPlatform<P>(platform: P): P {
  if (typeof platform === 'object' && platform !== null && 'clock' in platform) return platform;
  const received = `${kindOf(platform)} as the second`;
  throw new OptionError('client', 'new Analytics', 'called with one object of all options', received);
}
