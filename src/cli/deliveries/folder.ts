import { openLmdbFolder, type StoredDestination } from '../../store/lmdb/lmdb-destinations.js';
import { CliError, whenInUse } from '../cli-error.js';
import { checkStore } from '../options/file.js';

export interface StoreOptions {
  /** The name of the destination, in the folder of a service, or `all`. @default 'all' */
  readonly destination?: string | undefined;
}

/** A destination in a folder. Only destinations of a service have a name. */
export interface FoundDestination extends StoredDestination {
  /** True if a process has the store open. It is then only read. */
  readonly isInUse: boolean;
}

/**
 * Opens the store, calls `act` with its destinations, and closes it again. To change it, no other process may have it open.
 *
 * @throws CliError if the folder has no store or no destination of that name, or if the store is to be changed while a process
 * has it open
 * @throws LmdbMissingError if the package `lmdb` is not installed
 */
export async function inspecting(
  path: string,
  { destination }: StoreOptions,
  { isChanging }: { isChanging: boolean },
  act: (found: readonly FoundDestination[]) => Promise<void>,
): Promise<void> {
  await checkStore(path);
  const folder = await openLmdbFolder({ path, lock: isChanging ? 'alone' : 'none' }).catch(whenInUse(explainOpen));
  try {
    await act(meantIn(folder.destinations, destination).map((found) => ({ ...found, isInUse: folder.isInUse })));
  } finally {
    await folder.close();
  }
}

/** Finds the destination with the given name; without a name or with `all`, returns all of them. */
function meantIn(destinations: readonly StoredDestination[], given: string | undefined): readonly StoredDestination[] {
  const named = destinations.filter(({ name }) => name === given);
  if (named.length > 0) return named;
  if (given === undefined || given === 'all') return destinations;
  throw new CliError(unknownIn(destinations, given));
}

/** Explains why a command cannot change the folder of a running service, which would not notice the change. */
const explainOpen = (owner: string): string =>
  `${owner} has the store open; replay and discard through the service's page or HTTP API, or end the process first`;

function unknownIn(destinations: readonly StoredDestination[], name: string): string {
  const names = destinations.flatMap((destination) => destination.name ?? []);
  if (names.length === 0) return 'the store belongs to one destination without a name; leave out --destination';
  return `the store has no destination ${name}; it has ${names.join(', ')}`;
}
