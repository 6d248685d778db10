import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { refusals } from './refusals.js';

type Named = Pick<AdminApi, 'managedDestinations'>;

/** @throws ApiRefusal unless the configuration has a destination of this name */
export const configuredDestination = ({ managedDestinations }: Named, name: string): ManagedDestination =>
  managedDestinations.byName.get(name) ?? unknown();

/** @throws ApiRefusal unless the destination is configured, or was removed and still holds deliveries */
export const holdingDestination = ({ managedDestinations }: Named, name: string): ManagedDestination =>
  managedDestinations.byName.get(name) ?? managedDestinations.removed.get(name) ?? unknown();

/**
 * Checks the name of a destination about which something recorded is asked. What was recorded of a removed destination is kept
 * after its last delivery.
 *
 * @throws ApiRefusal unless the destination is configured, or was at any time
 */
export async function assertKnown({ managedDestinations }: Named, name: string): Promise<void> {
  if (!(await managedDestinations.wasConfigured(name))) unknown();
}

function unknown(): never {
  throw refusals.unknown('destination of this name');
}
