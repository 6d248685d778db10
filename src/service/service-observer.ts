import type { OnAnswered, OnMessages, OnRejected } from '../collector/collector-options.js';
import type { ReceivedMessage } from '../collector/received-message.js';
import type { Recorder } from '../destination/reports/recorder.js';
import type { PageHandlers } from './api/app.js';

/** Is told what happens, and shows it to people. The service never waits for it. */
export interface Observer extends PageHandlers, Recorder {
  /** Called when messages arrive, before they are stored. Some of their deliveries may end before `collected` is called. */
  coming(messages: readonly ReceivedMessage[]): void;
  readonly collected: {
    readonly onMessages: (...collected: Parameters<OnMessages>) => void;
    readonly onRejected: OnRejected;
    readonly onAnswered: OnAnswered;
  };
  /** Ends all streams of live events. */
  close(): void;
}
