import { checkOpened, checkOptions, withDefaults } from '../base/options/check-options.js';
import { withCleanup } from '../base/structures/cleanup.js';
import { SerialQueue } from '../base/structures/turns.js';
import { startInterval } from '../base/time/interval.js';
import { type Collector, LISTEN_RULES } from '../collector/collector.js';
import type { Handler } from '../collector/collector-server.js';
import type { AdminApi } from './api/admin-api.js';
import { Changes } from './api/admin-changes.js';
import { EndedSessions } from './api/ended-sessions.js';
import { Audiences } from './audiences/audiences.js';
import { changesBetween, takenOver } from './config/config-changes.js';
import type { ServiceConfigInput } from './config/config-input.js';
import { parseConfig } from './config/parse.js';
import type { ListenConfig, ServiceConfig } from './config/service-config.js';
import { removeOldDeletions } from './deletions/deletion-records.js';
import { Deletions } from './deletions/deletions.js';
import { makeDoors, type ServiceListening } from './doors.js';
import { Admission } from './ingest/admission.js';
import { openEntrance } from './ingest/entrance.js';
import { type Incoming, Ingest } from './ingest/ingest.js';
import { DeliveryJobs } from './letters/delivery-jobs.js';
import { ConfigState } from './operations/config-state.js';
import { watchDescriptors } from './operations/descriptors.js';
import { Operations } from './operations/operations.js';
import type { ManagedDestination } from './routing/managed-destination.js';
import { AUDIENCES, SourceRoutes } from './routing/message-routes.js';
import { planRules } from './routing/plan-rules.js';
import { ServiceClosedError } from './service-closed-error.js';
import { errorFields } from './service-log.js';
import { configureLedger, openParts, type ServiceOptions, type ServiceParts } from './service-parts.js';

/** How long messages that arrived before the service closes may take to be stored, in ms. */
const STORE_MS = 5_000;

/** The interval in ms at which old entries are removed. */
const SWEEP_MS = 60 * 60_000;

/**
 * The collector, destinations, audiences, deletions and admin API of one configuration. The service stores messages before it
 * answers, and delivers them from the store. Start it with `listen`, or mount `handler` in your own server, or use `fetch` with
 * web-standard requests.
 *
 * @example
 * const service = await Service.open(await loadConfig('eventferry.yaml'));
 * const { url } = await service.listen();
 */
export class Service {
  /**
   * A listener for node:http, Express, Fastify and similar servers, at any path. It serves the collector and health, and without
   * `admin.listen` also the admin API and the metrics. No body parser may have read the body.
   */
  readonly handler: Handler;
  /**
   * The same for frameworks and runtimes with `Request` and `Response`, such as Hono, Next route handlers, Bun and Deno. No other
   * code may have read the body.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** A listener that serves only the admin API, the metrics and health. Mount it where only operators have access. */
  readonly adminHandler: Handler;
  readonly #parts: ServiceParts;
  readonly #collector: Collector;
  readonly #ingest: Ingest;
  readonly #api: AdminApi;
  readonly #doors: ReturnType<typeof makeDoors>;
  readonly #state: ConfigState;
  readonly #stops: readonly (() => void)[];
  #config: ServiceConfig;
  readonly #reloads = new SerialQueue();
  #closing: Promise<void> | undefined;

  private constructor(config: ServiceConfig, parts: ServiceParts) {
    checkOpened(parts, 'service', 'Service.open(config)');
    const { clock, log, managedDestinations, ledger, onError } = parts;
    const { keyValues } = parts.storage;
    this.#config = config;
    this.#parts = parts;
    this.#state = new ConfigState(() => clock.wall());
    const routes = new SourceRoutes(config, managedDestinations.byName, parts.plans);
    const ingest = new Ingest(routes, { ...parts, counts: ledger.counts });
    this.#ingest = ingest;
    const admission = new Admission(clock, ingest);
    this.#collector = openEntrance({
      ...parts,
      trustedProxies: config.listen.trustedProxies,
      ingest,
      admission,
    });
    const accept = (messages: readonly Incoming[]): Promise<void> => this.accept(AUDIENCES, messages);
    const audiences = new Audiences({ keyValues, accept, clock, onError });
    const deliveryJobs = new DeliveryJobs(parts);
    this.#api = {
      ...parts,
      audiences,
      deletions: new Deletions({ ...parts, ingest, audiences, deliveryJobs }),
      deliveryJobs,
      changes: new Changes({ keyValues, clock, log, onError }),
      endedSessions: new EndedSessions(keyValues),
      operations: new Operations({
        ...parts,
        violations: ledger.violations,
        ingest,
        admission,
        state: this.#state,
        config: () => this.#config,
        collectorMetrics: () => this.#collector.metricsText(),
        isClosing: () => this.#closing !== undefined,
      }),
      config: () => this.#config,
    };
    this.#doors = makeDoors({ ...parts, collector: this.#collector, api: this.#api });
    this.handler = this.#doors.handler;
    this.adminHandler = this.#doors.adminHandler;
    this.fetch = this.#doors.fetch;
    this.#stops = this.#start();
  }

  /**
   * Checks the configuration as `parseConfig` does, opens the storage and the destinations, and begins to send waiting
   * deliveries. It does not listen yet.
   *
   * @throws ConfigError with every mistake of the configuration, OptionError for a wrong option
   * @throws LmdbMissingError or RedisMissingError when the storage needs a package that is not installed
   * @throws any other error of opening the storage or a destination. After an error nothing is left open.
   */
  static async open(given: ServiceConfigInput, options: ServiceOptions = {}): Promise<Service> {
    const config = await parseConfig(given);
    return withCleanup(async (cleanup) => new Service(config, await openParts(cleanup, config, options)));
  }

  /** The configuration in use. */
  get config(): ServiceConfig {
    return this.#config;
  }

  /** The destinations as they are now. @internal */
  destinations(): readonly ManagedDestination[] {
    return [...this.#parts.managedDestinations.byName.values()];
  }

  /**
   * Starts a server, and a second one for the admin API if `admin.listen` names its address.
   *
   * @param listen where the server for clients listens. @default the `listen` of the configuration
   * @throws OptionError
   * @throws ServiceClosedError after `close()`
   * @throws any error of node:http, such as one with the code `EADDRINUSE`. The service should then be closed.
   */
  async listen(listen: Partial<ListenConfig> = {}): Promise<ServiceListening> {
    checkOptions(listen, LISTEN_RULES, { door: 'service', example: 'listen({ port: 4100 })' });
    if (this.#closing !== undefined) throw new ServiceClosedError();
    const listening = await this.#doors.listen(withDefaults(listen, this.#config.listen), this.#config.admin.listen);
    this.#parts.switches.release();
    return listening;
  }

  /** Accepts messages as if the source had sent them, each id once. Resolves when they are stored. @internal */
  async accept(source: string, messages: readonly Incoming[]): Promise<void> {
    await this.#ingest.take(source, messages);
  }

  /**
   * Checks another configuration as `parseConfig` does, and applies it without losing a request or a delivery. `listen` and
   * `store` stay as they were. Calls run one after the other.
   *
   * @throws ServiceClosedError after `close()`
   * @throws ConfigError with every mistake of the configuration
   * @throws any error of opening a new or changed destination. After an error, the whole old configuration stays in use.
   */
  async reload(config: ServiceConfigInput): Promise<void> {
    if (this.#closing !== undefined) throw new ServiceClosedError();
    return this.#reloads.run(() => this.#reload(config));
  }

  /** Records that the last configuration that was read is wrong. The log, the status and the metrics show this. */
  refuse(error: unknown): void {
    const fields = errorFields(error);
    this.#state.refused(fields.error);
    this.#parts.log.error(fields, 'the new configuration was refused, and the old one stays');
  }

  /**
   * Refuses new requests, answers those that are running, and closes the destinations. Waiting deliveries stay in the storage. A
   * second call returns the same promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Continues what earlier processes left unfinished. Returns functions that stop the repeated work. */
  #start(): readonly (() => void)[] {
    const { clock, log, ledger, keyValues, deletedUsers, onError } = this.#parts;
    const { audiences, deletions, deliveryJobs, endedSessions, changes } = this.#api;
    void audiences.resume();
    deletions.start();
    deliveryJobs.start();
    const sweeps = [
      () => ledger.sweep(),
      () => deletedUsers.sweep(),
      () => endedSessions.removeExpired(clock.wall()),
      () => changes.sweep(),
      () => removeOldDeletions(keyValues, clock.wall()),
    ];
    const sweep = async (): Promise<void> => {
      for (const each of sweeps) await each().catch(onError);
    };
    return [startInterval({ clock, everyMs: SWEEP_MS, act: sweep, onError }), watchDescriptors({ clock, log })];
  }

  async #reload(given: ServiceConfigInput): Promise<void> {
    if (this.#closing !== undefined) return;
    try {
      await this.#take(await parseConfig(given));
    } catch (error) {
      this.refuse(error);
      throw error;
    }
  }

  async #take(given: ServiceConfig): Promise<void> {
    const { managedDestinations, switches, observer, ledger, log, onError } = this.#parts;
    const { lines, adminToken } = changesBetween(this.#config, given);
    const config = takenOver(this.#config, given);
    const plans = await planRules(config.sources, ledger.violations);
    await managedDestinations.change(config.destinations, () => {
      this.#config = config;
      this.#ingest.routes = new SourceRoutes(config, managedDestinations.byName, plans);
      configureLedger(ledger, config);
      // A feed that was opened with the old token would otherwise continue without a valid one.
      if (adminToken) observer?.close();
    });
    this.#state.taken();
    log.info({ changes: lines }, 'the service uses the new configuration');
    this.#api.changes.noteReload(lines);
    // A failure is only reported: the configuration is already in use, and the switches are read again soon.
    await switches.settle().catch(onError);
  }

  async #close(): Promise<void> {
    const { clock, switches, observer, cleanup } = this.#parts;
    const { audiences, deletions, deliveryJobs, operations } = this.#api;
    this.#doors.port.stop();
    observer?.close();
    switches.stop();
    for (const stop of this.#stops) stop();
    await this.#reloads.over();
    const cancelGivingUp = clock.after(STORE_MS, () => this.#ingest.giveUp());
    await Promise.all([this.#collector.close(), deletions.close(), deliveryJobs.close(), audiences.close()]);
    cancelGivingUp();
    await this.#doors.port.close();
    operations.close();
    await cleanup.close();
  }
}
