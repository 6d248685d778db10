export { OptionError } from '../errors.js';
export { Collector, type ListenOptions } from './collector.js';
export type { Answered } from './metrics.js';
export type { Admit, CollectorOptions, NotAdmitted, OnAnswered, OnMessages, OnRejected, Rejection } from './options.js';
export type {
  ReceivedAlias,
  ReceivedFields,
  ReceivedGroup,
  ReceivedIdentify,
  ReceivedMessage,
  ReceivedPage,
  ReceivedScreen,
  ReceivedTrack,
} from './received-message.js';
export type { CollectedRequest } from './request.js';
export type { FindSource, Source, SourceWithKey } from './source.js';
