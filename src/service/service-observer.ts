import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OnAnswered, OnMessages, OnRejected } from '../collector/collector-options.js';
import type { ReceivedMessage } from '../collector/received-message.js';
import type { Recorder } from '../destination/reports/recorder.js';

/** Is told what happens, and shows it to people. The service never waits for it. */
export interface Observer extends Recorder {
  /** Writes the page as the response, as `feed` does with the stream of live events. */
  page(incoming: IncomingMessage, outgoing: ServerResponse): void;
  feed(incoming: IncomingMessage, outgoing: ServerResponse): void;
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
