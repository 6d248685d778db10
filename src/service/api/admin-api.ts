import type { KeyValueStore } from '../../store/key-value-store.js';
import type { EventLook } from '../../store/storage.js';
import type { ServiceConfig } from '../config/config.js';
import type { Deletions } from '../deletions/deletions.js';
import type { History } from '../history/history.js';
import type { LastHours } from '../history/read-history.js';
import type { Counts } from '../ingest/counts.js';
import type { Rejections } from '../ingest/rejections.js';
import type { Violations } from '../ingest/violations.js';
import type { DeliveryJobs } from '../letters/delivery-jobs.js';
import type { RecentAttempts } from '../recent/recent-attempts.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { Status } from './answers.js';

/** The parts of the service that answer the calls of the API. */
export interface AdminApi {
  readonly keyValues: KeyValueStore;
  readonly counts: Counts;
  readonly deletions: Deletions;
  readonly history: Pick<History, 'flush'>;
  readonly lastHours: LastHours;
  readonly recent: Pick<RecentAttempts, 'flush' | 'wholeFrom'>;
  readonly rejections: Pick<Rejections, 'of'>;
  readonly violations: Pick<Violations, 'of' | 'totals'>;
  readonly deliveryJobs: DeliveryJobs;
  /** The configuration in use. */
  config(): ServiceConfig;
  /** By name. */
  managedDestinations(): ReadonlyMap<string, ManagedDestination>;
  /** Those that the configuration no longer has and that have left something, by name. */
  removedDestinations(): ReadonlyMap<string, ManagedDestination>;
  /** Finds the sources that have sent a message with that id within the last day. */
  sendersOf(id: string, sources: readonly string[]): Promise<readonly string[]>;
  /** Finds the events that may be in their stores; the others are not. */
  mayHave(looks: readonly EventLook[]): Promise<readonly boolean[]>;
  isPaused(managed: ManagedDestination): boolean;
  setPaused(managed: ManagedDestination, isPaused: boolean): Promise<void>;
  setEnabled(managed: ManagedDestination, enabled: boolean): Promise<void>;
  /** In ms since 1970. */
  now(): number;
  status(): Promise<Status>;
  metrics(): Promise<{ text: string; contentType: string }>;
  /** @throws ApiRefusal when no messages can be taken now */
  assertReady(): Promise<void>;
}
