import { checkOptions, integer } from '../base/options/check-options.js';
import { printable, shorten } from '../base/text/printable.js';
import type { Message } from '../protocol/message.js';
import { checkArgument } from './capture-options.js';
import { nameOf } from './captured-messages.js';
import { type Difference, differences } from './match.js';

/**
 * Describes a message: its name (or its type, if messages of that type have no name), some of its fields, or a function that
 * recognises it. A field may be a matcher of vitest or Jest, a regular expression or a function.
 */
export type ExpectedMessage = string | { readonly [field: string]: unknown } | ((message: Message) => boolean);

export interface TimesOptions {
  /** The number of messages that should match. @default at least one */
  times?: number | undefined;
}

/**
 * Compares the messages that were sent with an expectation.
 *
 * @returns whether it is met, a readable description of what was expected and what was sent instead, the messages that matched,
 *   and the message that comes closest
 */
export function judge(messages: readonly Message[], expected: ExpectedMessage, options: TimesOptions = {}) {
  checkOptions<TimesOptions>(options, { times: integer(0) }, { door: 'client', example: '{ times: 2 }' });
  const isObject = typeof expected === 'object' && expected !== null && !Array.isArray(expected);
  const isExpectable = typeof expected === 'string' || typeof expected === 'function' || isObject;
  checkArgument('expected', isExpectable, 'a name, an object of fields or a function', expected);
  const { times } = options;
  const candidates = messages.map((message, index) => ({ message, index, faults: faultsOf(message, expected) }));
  const matching = candidates.filter(({ faults }) => faults.length === 0);
  const pass = times === undefined ? matching.length > 0 : matching.length === times;
  const [nearest] = candidates.toSorted((a, b) => closeness(a.faults) - closeness(b.faults));
  const lines = [
    `${wanted(times)} ${shown(expected)}, ${found(matching.length, messages.length)}`,
    ...(matching.length === 0 && nearest !== undefined ? ['', ...describeNearest(nearest)] : []),
    ...(messages.length === 0 ? [] : ['', ...candidates.slice(0, MOST_LISTED).map(lineOf)]),
    ...(messages.length > MOST_LISTED ? [`  … and ${messages.length - MOST_LISTED} more`] : []),
  ];
  return { pass, text: lines.join('\n'), matching: matching.map(({ message }) => message), nearest: nearest?.message };
}

interface Candidate {
  readonly message: Message;
  readonly index: number;
  readonly faults: readonly Difference[];
}

const MOST_LISTED = 20;
const LONGEST_SHOWN = 200;

/** A wrong type or name counts more than any wrong property. */
const closeness = (faults: readonly Difference[]): number =>
  faults.reduce((sum, { path }) => sum + (path === 'type' || path === 'event' || path === 'name' ? 1_000 : 1), 0);

function faultsOf(message: Message, expected: ExpectedMessage): Difference[] {
  if (typeof expected === 'string') return differences(expected, nameOf(message) ?? message.type, 'name');
  return differences(expected, message, typeof expected === 'function' ? 'message' : '');
}

function wanted(times: number | undefined): string {
  if (times === undefined) return 'Expected a message that matches';
  if (times === 0) return 'Expected no message that matches';
  return `Expected ${times} ${times === 1 ? 'message that matches' : 'messages that match'}`;
}

const found = (matching: number, all: number): string =>
  all === 0 ? 'and no message was sent' : `got ${matching} of ${all}`;

const describeNearest = ({ message, index, faults }: Candidate): string[] => [
  `The nearest is message ${index + 1}, ${titleOf(message)}:`,
  ...faults.map(({ path, expected, received }) => `  ${path}: expected ${shown(expected)}, got ${shown(received)}`),
];

const lineOf = ({ message, index, faults }: Candidate): string =>
  `  ${faults.length === 0 ? '✓' : ' '} ${index + 1}. ${titleOf(message)} ${shown(restOf(message))}`;

const titleOf = (message: Message): string => {
  const name = nameOf(message);
  return name === undefined ? message.type : `${message.type} ${shown(name)}`;
};

/** Fields that the title already shows, or that do not help to tell messages apart. */
const NOT_TOLD = new Set(['type', 'event', 'name', 'messageId', 'timestamp', 'context', 'integrations']);

const restOf = (message: Message): object =>
  Object.fromEntries(Object.entries(message).filter(([field]) => !NOT_TOLD.has(field)));

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof RegExp) return String(value);
  if (typeof value === 'function') return value.name === '' ? 'what the function accepts' : `${value.name}(value)`;
  return shorten(printable(JSON.stringify(value, showable) ?? String(value)), LONGEST_SHOWN);
}

/** Returns text for a value that JSON would leave out. */
function showable(_key: string, value: unknown): unknown {
  if (value instanceof RegExp || typeof value === 'function' || typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null && 'asymmetricMatch' in value) return titleOfMatcher(value);
  return value;
}

/** Returns the title that vitest and Jest give a matcher, such as `Any<Number>`. */
function titleOfMatcher(matcher: { asymmetricMatch: unknown; toAsymmetricMatcher?: () => string }): string {
  return typeof matcher.toAsymmetricMatcher === 'function' ? matcher.toAsymmetricMatcher() : String(matcher);
}
