export { OptionError } from '../base/errors/errors.js';
export { Collector } from './collector.js';
export type { Answered } from './metrics.js';
export type { CollectorOptions, Rejection } from './options.js';
export type {
  ReceivedAlias,
  ReceivedGroup,
  ReceivedIdentify,
  ReceivedMessage,
  ReceivedPage,
  ReceivedScreen,
  ReceivedTrack,
} from './received-message.js';
export type { CollectedRequest } from './request.js';
export type { Source } from './source.js';
