import { Analytics } from '../client/analytics.js';
import type { Receipt } from '../client/queue/receipt.js';
import { printable } from '../printable.js';
import type { MessageTypeName } from '../protocol/message.js';
import { codeOf, EXIT, reasonOf } from './cli-error.js';
import { type ConnectionOptions, connectionOf } from './connection.js';
import type { Terminal } from './terminal.js';

export interface SendOptions extends ConnectionOptions {
  /** The message's fields, as the call takes them. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** How long a collector that does not answer is tried again, in seconds. */
  readonly retryFor: number;
}

/** Sends one message, and says what the collector made of it. */
export async function send(type: MessageTypeName, options: SendOptions, terminal: Terminal): Promise<number> {
  const connection = connectionOf(options);
  const analytics = new Analytics({ ...connection, flushAt: 1, retryFor: options.retryFor * 1000 });
  // Heard, so that the client does not warn the process of what is printed below.
  analytics.on('lost', () => {});
  const { messageId, delivered } = call(analytics, type, options.fields);
  const error = await delivered.then(() => undefined, asError);
  await analytics.close();
  if (error === undefined) {
    terminal.print(`${terminal.style('green', 'delivered')}  ${messageId}`, { messageId, verdict: 'delivered' });
    return EXIT.ok;
  }
  printLoss(messageId, error, terminal);
  return EXIT.failed;
}

/** As any other error, in one line on standard error; as JSON it is the result. */
function printLoss(messageId: string, error: unknown, terminal: Terminal): void {
  const [code, reason] = [codeOf(error), reasonOf(error)];
  const verdict = code === 'EVENTFERRY_REJECTED' ? 'rejected' : 'lost';
  if (terminal.isJson) terminal.print('', { messageId, verdict, code, reason });
  else terminal.err.write(`send: ${verdict} ${messageId}: ${printable(reason)}\n`);
}

const asError = (error: unknown): unknown => error ?? new Error('unknown');

/** The client checks at run time what the types would have checked. */
function call(analytics: Analytics, type: MessageTypeName, fields: object): Receipt {
  return (analytics[type] as (message: object) => Receipt).call(analytics, fields);
}
