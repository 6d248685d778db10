import { OptionError } from '../base/errors/errors.js';
import { checkOptions, internal, type Rules } from '../base/options/check-options.js';
import type { Cleanup } from '../base/structures/cleanup.js';
import { describe } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import type { Dependencies } from '../destination/destination-dependencies.js';
import type { Lookup } from '../destination/network/ssrf-guard.js';
import { ErasedUsers } from '../ledger/attempts/erased-users.js';
import { Ledger } from '../ledger/ledger.js';
import type { Storage } from '../store/storage.js';
import type { ServiceConfig } from './config/service-config.js';
import { openStorage } from './open-storage.js';
import { DestinationLog } from './operations/destination-log.js';
import { errorLines } from './operations/error-lines.js';
import { attemptDurations } from './operations/service-metrics.js';
import { StoreLosses } from './operations/store-losses.js';
import { loadTracing } from './operations/tracing.js';
import { DestinationSwitches } from './routing/destination-switches.js';
import { FailingWebhooks } from './routing/failing-webhooks.js';
import type { ManagedDestination } from './routing/managed-destination.js';
import { ManagedDestinations } from './routing/managed-destinations.js';
import { planRules } from './routing/plan-rules.js';
import { type Log, silentLog } from './service-log.js';
import type { Observer } from './service-observer.js';

export interface ServiceOptions {
  /**
   * The storage, or a promise of it: `lmdbStorage(…)`. A storage that is given stays open when the service closes.
   *
   * @default the `store` of the configuration, opened and closed with the service
   */
  readonly storage?: Storage | Promise<Storage> | undefined;
  /** Receives the service's log lines: pino, or any object with these methods. @default none */
  readonly log?: Log | undefined;
  /** @default the storage's clock, or the real clock as it was at the start @internal */
  readonly clock?: Clock | undefined;
  /** Returns a number in [0, 1). @default Math.random @internal */
  readonly random?: (() => number) | undefined;
  /** Resolves the host names of endpoints. @default by the hosts file, then DNS, then the system @internal */
  readonly lookup?: Lookup | undefined;
  /** Is told of each request and event, for the page. @default none @internal */
  readonly observer?: Observer | undefined;
  /**
   * If true, nothing is delivered before `listen` has its ports, because a service that fails to start must not send anything.
   * @default false @internal
   */
  readonly holdsUntilListening?: boolean | undefined;
}

/** The options with every default filled in, and the parts that use the storage. */
export type ServiceParts = Awaited<ReturnType<typeof openParts>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isLog = (value: unknown): boolean =>
  isObject(value) &&
  ['debug', 'info', 'warn', 'error'].every((level) => typeof Reflect.get(value, level) === 'function');

const EXPECTED_STORAGE = 'what `lmdbStorage`, `redisStorage` or `memoryStorage` gives';

/** @throws OptionError for anything that is not a storage, and any error of opening it */
async function given(storage: Storage | Promise<Storage>): Promise<Storage> {
  const opened: unknown = await storage;
  if (isObject(opened) && typeof Reflect.get(opened, 'takeIn') === 'function') return opened as Storage;
  throw new OptionError('service', 'storage', EXPECTED_STORAGE, describe(opened));
}

const RULES: Rules<ServiceOptions> = {
  storage: { expected: EXPECTED_STORAGE, holds: isObject },
  log: { expected: 'an object with the methods debug, info, warn and error', holds: isLog },
  clock: internal,
  random: internal,
  lookup: internal,
  observer: internal,
  holdsUntilListening: internal,
};

/** Opens the storage, and makes the functions that log its errors. */
async function openStore(cleanup: Cleanup, config: ServiceConfig, options: ServiceOptions) {
  const { log = silentLog } = options;
  const storage = options.storage === undefined ? await openStorage(config.store, log) : await given(options.storage);
  if (options.storage === undefined) cleanup.defer(() => storage.close());
  const { keyValues } = storage;
  const clock = options.clock ?? storage.clock;
  const tellError = errorLines(log, clock);
  const onError = (error: unknown): void => tellError(error, 'the store could not be read or written');
  const deletedUsers = new ErasedUsers(keyValues, clock, storage.isShared);
  return { storage, keyValues, log, clock, tellError, onError, deletedUsers };
}

/**
 * Opens the storage and the destinations. `cleanup` closes the destinations, writes what is still in memory, and closes the
 * storage, unless a caller gave the storage.
 *
 * @throws OptionError, and any error of opening them
 */
export async function openParts(cleanup: Cleanup, config: ServiceConfig, open: ServiceOptions) {
  const options = checkOptions(open, RULES, { door: 'service', example: 'Service.open(config, { storage })' });
  const { random = Math.random, lookup, observer } = options;
  const opened = await openStore(cleanup, config, options);
  const { storage, keyValues, log, clock, tellError, deletedUsers } = opened;
  const losses = new StoreLosses(storage, log, clock);
  const tracing = await loadTracing();
  const durations = attemptDurations();
  let managedDestinations: ManagedDestinations | undefined;
  const destinations = (): Iterable<ManagedDestination> => managedDestinations?.byName.values() ?? [];
  const ledger = new Ledger({ ...opened, durations, waiting: () => waitingOf(destinations()) });
  cleanup.defer(() => ledger.close());
  configureLedger(ledger, config);
  const names = config.destinations.map(({ name }) => name);
  const failingWebhooks = await FailingWebhooks.open(keyValues, { ...opened, destinations: names });
  cleanup.defer(() => failingWebhooks.close());
  const plans = await planRules(config.sources, ledger.violations);
  const switches = await DestinationSwitches.open(
    { ...opened, managedDestinations: destinations },
    { areAllHeld: options.holdsUntilListening },
  );
  const ours = [...ledger.recorders, failingWebhooks, new DestinationLog({ log, clock, tellError })];
  const recorders = [...ours, observer, tracing].filter((recorder) => recorder !== undefined);
  const isPaused = (name: string): boolean => switches.isPaused(name);
  const failedBefore: Dependencies['failedBefore'] = (...webhook) => failingWebhooks.of(...webhook);
  managedDestinations = await ManagedDestinations.open(config.destinations, {
    storage,
    dependencies: { clock, random, lookup, deletedUsers, recorders, isPaused, failedBefore },
    log,
  });
  cleanup.defer(() => managedDestinations.close());
  cleanup.defer(() => switches.stop());
  await switches.start();
  const own = { observer, managedDestinations, switches, failingWebhooks, ledger, losses, durations };
  return { ...opened, ...own, cleanup, plans, tracing };
}

/** Applies the limits of a configuration to what is kept of attempts. */
export function configureLedger({ attempts }: Ledger, { history, destinations }: ServiceConfig): void {
  const unkept = destinations.filter(({ keepAttempts }) => keepAttempts === false).map(({ name }) => name);
  attempts.configure(history, new Set(unkept));
}

function* waitingOf(managedDestinations: Iterable<ManagedDestination>): Generator<[string, number], void, undefined> {
  for (const { name, destination } of managedDestinations) yield [name, destination.waiting];
}
