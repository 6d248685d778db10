export { OptionError } from '../base/errors/errors.js';
export { Collector } from './collector.js';
export type { Answered } from './collector-metrics.js';
export type { CollectorOptions, Rejection } from './collector-options.js';
export type { Source } from './find-source.js';
export type * from './received-message.js';
export type { CollectedRequest } from './request.js';
