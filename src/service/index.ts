export { OptionError } from '../base/errors/errors.js';
export type { JsonSchema, Plan } from '../plan/plan.js';
export { PlanError, type PlanProblem } from '../plan/plan-errors.js';
export { type LmdbStorageOptions, lmdbStorage } from '../store/lmdb/lmdb-storage.js';
export { memoryStorage } from '../store/memory/memory-storage.js';
export { redisStorage } from '../store/redis/redis-storage.js';
export type { RedisStorageOptions } from '../store/redis/redis-storage-options.js';
export type { Storage } from '../store/storage.js';
export {
  LmdbMissingError,
  RedisFailedError,
  RedisMissingError,
  RedisTooOldError,
  RedisUnfitError,
  StoreDamagedError,
  StoreFormatError,
  StoreFullError,
  StoreInUseError,
  StoreOpenError,
  StoreWriteError,
} from '../store/store-errors.js';
export type { Listening } from './api/http-server.js';
export { ConfigError, ConfigFileError, type ConfigProblem } from './config/config-errors.js';
export type {
  AdminConfigInput,
  DestinationConfigInput,
  RateLimitInput,
  ServiceConfigInput,
  SourceConfigInput,
  StoreConfigInput,
} from './config/config-input.js';
export { loadConfig } from './config/load-config.js';
export { parseConfig } from './config/parse.js';
export type { LoadOptions } from './config/read-source.js';
export type {
  AdminConfig,
  AudiencesConfig,
  ClientListenConfig,
  DestinationConfig,
  HistoryConfig,
  ListenConfig,
  LmdbStoreConfig,
  LogConfig,
  MetricsConfig,
  PlanAction,
  RateLimit,
  RedisStoreConfig,
  ServiceConfig,
  SourceConfig,
  StoreConfig,
  TrackingPlanConfig,
  TrackSchema,
} from './config/service-config.js';
export type { ServiceListening } from './doors.js';
export { Service } from './service.js';
export { ServiceClosedError } from './service-closed-error.js';
export type { Log } from './service-log.js';
export type { ServiceOptions } from './service-parts.js';
