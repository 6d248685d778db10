export { OptionError } from '../base/errors/errors.js';
export { assertNotSent, assertSent } from './assert-sent.js';
export { type CapturedAnalytics, captureAnalytics } from './capture-analytics.js';
export type { CaptureOptions } from './capture-options.js';
export type { CapturedMessages, TrackedMessage } from './captured-messages.js';
export { type MatcherResult, matchers, type SentMatchers } from './matchers.js';
export type { CapturedRequest, FailureOptions } from './memory-collector.js';
export type { ExpectedMessage, TimesOptions } from './verdict.js';
export type { WaitOptions } from './wait.js';
