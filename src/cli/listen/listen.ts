import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { decodeUtf8, isJsonObject, parseJson } from '../../base/text/decode.js';
import { printable, shorten } from '../../base/text/printable.js';
import { headerLookup } from '../../signature/headers.js';
import { schemesIn, usableSchemes, verifyAny } from '../../signature/schemes.js';
import { listSecrets } from '../../signature/secret.js';
import { TOLERANCE_MS } from '../../signature/standard.js';
import type { CliCommand } from '../command.js';
import { hostOption, integer, portOption, secretsOption } from '../options/argument-parsers.js';
import { whenInterrupted } from '../terminal/interruption.js';
import { columns, type Style, type Terminal } from '../terminal/terminal.js';
import { type AnswerOptions, answersOf, describeAnswer } from './answer-options.js';
import { listenOn, urlOf } from './listen-on.js';
import type { ReceivedDelivery } from './webhook-server.js';

interface ListenOptions extends AnswerOptions {
  readonly port: number;
  readonly host: string;
  readonly secret?: readonly string[] | undefined;
  /** The delay before each answer, in milliseconds. */
  readonly delay: number;
  readonly body?: boolean | undefined;
}

export function listenCommand(command: CliCommand): void {
  command
    .description('receive webhooks, print each, and answer with the given statuses')
    .addOption(portOption(4200))
    .addOption(hostOption())
    .addOption(secretsOption('secret to check signatures with'))
    .option('--status <list>', 'answers in turn: statuses, hang, reset, slow; the last one repeats', '200')
    .option('--repeat', 'repeat the whole list of answers')
    .addOption(new Option('--delay <ms>', 'wait before each answer').argParser(integer(0, 3_600_000)).default(0))
    .option('--slow-body', 'send the body of the answer byte by byte')
    .option('--body', 'print the body of each delivery')
    .examples('listen --secret shhh', 'listen --status 500,hang,200')
    .runs(async () => listen);
}

/** Receives webhooks until Ctrl-C, and prints each. */
async function listen(options: ListenOptions, terminal: Terminal): Promise<void> {
  if (options.secret !== undefined) listSecrets(options.secret, '--secret');
  const { createWebhookServer } = await import('./webhook-server.js');
  const server = createWebhookServer({
    answerAt: answersOf(options),
    delayMs: options.delay,
    sleep: (ms) => sleep(ms),
    now: () => new Date(),
    onDelivery: (delivery) => printDelivery(delivery, options, terminal),
  });
  const url = urlOf(options.host, await listenOn(server, options));
  // Signals are handled before the first line is printed, because its reader may press Ctrl-C immediately.
  const interrupted = whenInterrupted();
  terminal.note(`Waiting for webhooks at ${terminal.style('bold', url, terminal.err)}. Press Ctrl-C to stop.`, { url });
  await interrupted;
  server.closeAllConnections();
  server.close();
}

/** Prints one delivery, and its body if `options.body` is set. */
export function printDelivery(
  delivery: ReceivedDelivery,
  { secret: secrets = [], body: isBodyShown }: Pick<ListenOptions, 'secret' | 'body'>,
  terminal: Terminal,
): void {
  const signature = signatureVerdict(delivery, secrets);
  const { number, receivedAt, method, path, headers, body, isCut, answer } = delivery;
  const message = messageIn(body);
  const text = columns(
    terminal.style('dim', receivedAt.slice('2026-11-20T'.length)),
    terminal.style('bold', `#${number}`),
    `${method} ${printable(shorten(path, 60))}`,
    describeMessage(message),
    `${body.length}${isCut ? '+' : ''} B`,
    `signature ${terminal.style(STYLE_OF[signature], signature)}`,
    `→ ${describeAnswer(answer)}`,
  );
  const shown = new TextDecoder().decode(body);
  const lines = isBodyShown ? `\n${indent(message === undefined ? shown : JSON.stringify(message, null, 2))}` : '';
  const record = { number, receivedAt, method, path, headers, signature, answer: describeAnswer(answer) };
  terminal.print(text + lines, { ...record, bytes: body.length, body: message ?? shown });
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

/** The result of a signature check; `unchecked` if there is no secret. */
type SignatureVerdict = 'valid' | 'invalid' | 'missing' | 'unchecked';

function signatureVerdict(
  { headers, body, isCut, receivedAt }: ReceivedDelivery,
  secrets: readonly string[],
): SignatureVerdict {
  if (secrets.length === 0) return 'unchecked';
  const header = headerLookup(headers);
  const names = schemesIn(header);
  if (names.length === 0) return 'missing';
  if (isCut) return 'invalid';
  const delivery = { header, body, now: Date.parse(receivedAt), tolerance: TOLERANCE_MS };
  return verifyAny(usableSchemes(names, secrets), delivery) === undefined ? 'invalid' : 'valid';
}

/** Returns the message in the body, or undefined if the body is not a JSON object. */
function messageIn(body: Uint8Array): Record<string, unknown> | undefined {
  const value = parseJson(decodeUtf8(body) ?? '');
  return isJsonObject(value) ? value : undefined;
}
