import { OptionError } from '../base/errors/errors.js';
import { kindOf } from '../base/text/describe.js';

/**
 * The second argument of `new Analytics` is for tests of our own. A user's would be options, none of which would count.
 *
 * @throws OptionError
 */
export function checkPlatform<P>(platform: P): P {
  if (typeof platform === 'object' && platform !== null && 'clock' in platform) return platform;
  const received = `${kindOf(platform)} as the second`;
  throw new OptionError('client', 'new Analytics', 'called with one object of all options', received);
}
