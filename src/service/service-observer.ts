import type { OnAnswered, OnMessages, OnRejected } from '../collector/collector-options.js';
import type { ReceivedMessage } from '../collector/received-message.js';
import type { Recorder } from '../destination/reports/recorder.js';
import type { PageHandlers } from './api/app.js';

/** Sees what happens, and shows it to people. Nothing waits for it. */
export interface Observer extends PageHandlers, Recorder {
  /** These have come, and are not stored yet. Some of their deliveries may be over before they are. */
  coming(messages: readonly ReceivedMessage[]): void;
  readonly collected: {
    readonly onMessages: (...collected: Parameters<OnMessages>) => void;
    readonly onRejected: OnRejected;
    readonly onAnswered: OnAnswered;
  };
  /** Ends the streams of those who watch. */
  close(): void;
}
