import { checkOptions, timeLimit } from '../../base/options/check-options.js';
import { exampleOf } from '../platform/node.js';

/** @throws OptionError */
export function checkTimeout(method: 'flush' | 'close', options: unknown): void {
  checkOptions(options, { timeout: timeLimit }, { door: 'client', example: exampleOf(method, 'timeout', options) });
}
