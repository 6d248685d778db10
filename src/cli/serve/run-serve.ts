import type { Logger } from 'pino';
import { endBySignal } from '../../base/process/end-by-signal.js';
import { printable } from '../../base/text/printable.js';
import { readPage } from '../../dashboard/server/page-response.js';
import { parseSource } from '../../service/config/load-config.js';
import { readSource } from '../../service/config/read-source.js';
import type { ServiceConfig, StoreConfig } from '../../service/config/service-config.js';
import { type ConfigReading, type WatchOptions, watchConfig } from '../../service/config/watch.js';
import { openStorage } from '../../service/open-storage.js';
import { Service } from '../../service/service.js';
import { errorFields, type Log } from '../../service/service-log.js';
import { whileLate } from '../../service/while-late.js';
import type { Storage } from '../../store/storage.js';
import { type CliError, codeOf, reasonOf, unusable } from '../cli-error.js';
import { explainListening } from '../listen/listen-on.js';
import { type GivenConfig, givenConfig } from '../options/config.js';
import { whenInterrupted } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { PageObserver } from './page-observer.js';
import { createLogger } from './pino-logger.js';

interface ServeOptions {
  /** Overrides the port in the configuration. */
  readonly port?: number | undefined;
}

/**
 * Runs the service until a signal ends it.
 *
 * @throws ConfigFileError, ConfigError with every mistake, or the error of a storage or destination that cannot be
 *   opened
 * @throws CliError if the port is taken
 */
export async function runServe(name: string, { port }: ServeOptions, terminal: Terminal): Promise<void> {
  const { file, text } = await givenConfig(name);
  const { given, watch } = await readFirst({ file, text });
  const served = ({ listen, ...rest }: ServiceConfig): ServiceConfig => ({
    ...rest,
    listen: { ...listen, port: port ?? listen.port },
  });
  // Signals are handled before anything is opened, because one may arrive at any time.
  const interrupted = whenInterrupted();
  // Without a listener, SIGHUP would end the process before the file is watched.
  process.on('SIGHUP', () => {});
  const log = createLogger(given.log, terminal);
  endAtUncaught(log);
  const storage = await openConfiguredStorage(given.store, log, interrupted);
  try {
    if (storage !== undefined) await run({ file, text, given, watch, served, storage, log, interrupted }, terminal);
  } finally {
    await storage?.close();
  }
  log.info('the service has ended');
}

/** Reads the configuration in its own function, so that the parsed file, which is several times as large, can be freed. */
async function readFirst({ file, text }: GivenConfig): Promise<Pick<Run, 'given' | 'watch'>> {
  const reading = await readSource(file, { text });
  const { key: since, known } = reading;
  return { given: parseSource(reading, file), watch: { text, since, known } };
}

interface Run extends GivenConfig {
  readonly given: ServiceConfig;
  /** The results of the reading that produced `given`. */
  readonly watch: Pick<WatchOptions, 'text' | 'since' | 'known'>;
  /** Applies the options of the command to a configuration. */
  served(config: ServiceConfig): ServiceConfig;
  readonly storage: Storage;
  readonly log: Logger;
  readonly interrupted: Promise<void>;
}

async function run({ file, given, watch, served, storage, log, interrupted }: Run, terminal: Terminal): Promise<void> {
  const config = served(given);
  const options = { storage, log, observer: new PageObserver(await readPage()), holdsUntilListening: true };
  await using service = await whileLate(() => Service.open(config, options), { log });
  const listening = await service.listen().catch((error: unknown) => {
    throw explainServing(error, config);
  });
  const take = async ({ config, error }: ConfigReading): Promise<void> => {
    if (config === undefined) return service.refuse(error);
    try {
      await service.reload(served(config));
      log.level = config.log.level;
    } catch {
      // The service itself has reported the error.
    }
  };
  const watcher = await watchConfig(file, take, watch);
  const urls = { url: listening.url, adminUrl: listening.admin?.url ?? listening.url };
  terminal.print(describe(urls, file, config, terminal), summaryOf(urls, file, config));
  log.info(urls, 'the service listens');
  await interrupted;
  watcher.close();
  log.info('the service ends: it finishes open requests and deliveries first');
}

/** Explains which of the two addresses is in use or does not belong to this machine. */
function explainServing(error: unknown, { listen, admin }: ServiceConfig): CliError {
  const isOfAdmin = admin.listen !== undefined && Object(error).port === admin.listen.port;
  if (!isOfAdmin) return explainListening(error, listen);
  return unusable(`admin.listen: ${reasonOf(error)}`, error);
}

/** The URLs of the collector and of the page. */
interface Urls {
  readonly url: string;
  readonly adminUrl: string;
}

const summaryOf = (urls: Urls, file: string, { store, sources, destinations, admin }: ServiceConfig) => ({
  ...urls,
  config: file,
  store: store.type,
  sources: sources.map(({ name }) => name),
  destinations: destinations.map(({ name }) => name),
  admin: admin.token !== undefined || (admin.tokens ?? []).length > 0,
});

function describe(urls: Urls, file: string, config: ServiceConfig, terminal: Terminal): string {
  const { url, adminUrl, store, sources, destinations, admin } = summaryOf(urls, file, config);
  const names = (list: readonly string[]): string => list.map(printable).join(', ') || 'none';
  return [
    `Collecting at ${terminal.style('bold', url)}`,
    `  sources       ${names(sources)}`,
    `  destinations  ${names(destinations)}`,
    `  store         ${store}`,
    `  page          ${admin ? adminUrl : 'off: the configuration has no admin.token'}`,
  ].join('\n');
}

/**
 * Kills the process after an uncaught error. `process.exit` could wait forever, because in the middle of a transaction lmdb's
 * writing thread waits for this thread. Acknowledged messages are already on disk.
 */
function endAtUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal(
      { ...errorFields(error), stack: error instanceof Error ? error.stack : undefined },
      'an error was not caught, so the service stops',
    );
    endBySignal('SIGKILL');
  });
}

const ABOUT_THE_FOLDER = ['EVENTFERRY_STORE_UNOPENED', 'EVENTFERRY_STORE_DAMAGED', 'EVENTFERRY_STORE_IN_USE'];

/**
 * Opens the storage. Resolves to undefined if a signal arrived while another process had the folder open.
 *
 * @throws CliError if the folder stays in use, is damaged, or cannot be opened
 * @throws LmdbMissingError, RedisMissingError, RedisTooOldError, RedisUnfitError, RedisFailedError
 */
function openConfiguredStorage(store: StoreConfig, log: Log, interrupted: Promise<void>): Promise<Storage | undefined> {
  const waiting = new AbortController();
  void interrupted.then(() => waiting.abort());
  return openStorage(store, log, waiting.signal).catch((error: unknown) => {
    if (waiting.signal.aborted) return undefined;
    throw ABOUT_THE_FOLDER.includes(codeOf(error) ?? '') ? unusable(`store.path: ${reasonOf(error)}`, error) : error;
  });
}
