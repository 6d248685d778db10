import type { DestinationOptions } from '../../destination/settings/destination-options.js';
import type { DestinationConfig } from './service-config.js';

/** Returns the options of a configured destination, without its store. */
export function optionsOf(destination: DestinationConfig): DestinationOptions {
  const { name: _, type: __, keepAttempts: ___, ...settings } = destination;
  return settings;
}
