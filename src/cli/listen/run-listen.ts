import { setTimeout as sleep } from 'node:timers/promises';
import { printable, shorten } from '../../printable.js';
import { verify } from '../../signature/sign.js';
import { EXIT } from '../cli-error.js';
import { whenInterrupted } from '../interruption.js';
import { listenOn, urlOf } from '../server.js';
import type { Style, Terminal } from '../terminal.js';
import { type AnswerOptions, answersOf, describeAnswer } from './answers.js';
import { type Delivery, messageIn, type SignatureVerdict, signatureVerdict } from './delivery.js';
import { createWebhookServer } from './receiver.js';

export interface ListenOptions extends AnswerOptions {
  readonly port: number;
  readonly host: string;
  readonly secret?: readonly string[] | undefined;
  /** In milliseconds. */
  readonly delay: number;
  readonly body?: boolean | undefined;
}

const SLOW_BYTE_MS = 500;

/** Receives webhooks until Ctrl-C, and prints each. */
export async function runListen(options: ListenOptions, terminal: Terminal): Promise<number> {
  const secrets = options.secret ?? [];
  const server = createWebhookServer({
    answerAt: answersOf(options),
    delayMs: options.delay,
    slowByteMs: SLOW_BYTE_MS,
    sleep: (ms) => sleep(ms),
    now: () => new Date(),
    onDelivery: (delivery) => {
      printDelivery(delivery, signatureVerdict(delivery, secrets, verify), options.body === true, terminal);
    },
  });
  const url = urlOf(options.host, await listenOn(server, options));
  // Before the first line: its reader may press Ctrl-C at once.
  const interrupted = whenInterrupted();
  terminal.note(`Waiting for webhooks at ${terminal.style('bold', url, terminal.err)}. Press Ctrl-C to stop.`, { url });
  await interrupted;
  server.closeAllConnections();
  server.close();
  return EXIT.ok;
}

function printDelivery(
  delivery: Delivery,
  signature: SignatureVerdict,
  isBodyShown: boolean,
  terminal: Terminal,
): void {
  const { number, receivedAt, method, path, headers, body, isCut, answer } = delivery;
  const message = messageIn(body);
  const text = [
    terminal.style('dim', receivedAt.slice('2026-11-20T'.length)),
    terminal.style('bold', `#${number}`),
    `${method} ${printable(shorten(path, 60))}`,
    describeMessage(message),
    `${body.length}${isCut ? '+' : ''} B`,
    `signature ${terminal.style(STYLE_OF[signature], signature)}`,
    `→ ${describeAnswer(answer)}`,
  ].filter((part) => part !== '');
  const shown = new TextDecoder().decode(body);
  const lines = isBodyShown ? `\n${indent(message === undefined ? shown : JSON.stringify(message, null, 2))}` : '';
  const record = { number, receivedAt, method, path, headers, signature, answer: describeAnswer(answer) };
  terminal.print(text.join('  ') + lines, { ...record, bytes: body.length, body: message ?? shown });
}

const STYLE_OF = { valid: 'green', invalid: 'red', missing: 'red', unchecked: 'dim' } as const satisfies Record<
  SignatureVerdict,
  Style
>;

function describeMessage(message: Record<string, unknown> | undefined): string {
  if (message === undefined) return 'no message';
  const { type, event, name, userId, anonymousId } = message;
  return [type, event ?? name, userId ?? anonymousId]
    .filter((part) => typeof part === 'string')
    .map((part) => printable(shorten(part, 60)))
    .join(' · ');
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n');
