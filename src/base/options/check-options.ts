import { type Door, OptionError } from '../errors/errors.js';
import { suggest } from '../platform/node.js';
import { describe, kindOf } from '../text/describe.js';
import { excerpt } from '../text/printable.js';
import { LONGEST_TIMER_MS } from '../time/clock.js';

/** The rule of one option. Without `isRequired`, `undefined` means the default and is not checked. */
export interface Rule {
  /** The words of the error for what was expected: `an integer from 1 up`. */
  readonly expected: string;
  holds(value: unknown): boolean;
  readonly isRequired?: true;
  /** Even a wrong value may be a secret, so the error names only its kind. */
  readonly isSecret?: true;
  /** Says what a wrong value is, and what to write instead. @default a few words, as of any value */
  describe?(value: unknown): { readonly received: string; readonly hint?: string };
  /** No error names it. */
  readonly isInternal?: true;
}

/** A rule for each option. An option without one does not compile, nor does a required one whose rule does not say so. */
export type Rules<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Rule : Rule & { readonly isRequired: true };
};

export interface OptionCheck {
  readonly door: Door;
  /** The place of the options, if they are not at the top: `webhooks[2]`. */
  readonly at?: string;
  /** Shows a caller that gives something else how options are given: `close({ timeout: 1000 })`. */
  readonly example?: string;
  /** Says what to write instead of a name that other libraries use. */
  advise?(name: string): string | undefined;
}

/**
 * Returns the options that an object has itself. Refuses anything but an object of options, names without a rule, and the first value
 * that breaks its rule.
 *
 * @throws OptionError
 */
export function checkOptions<T extends object>(given: unknown, rules: Rules<T>, check: OptionCheck): T {
  const shown = Object.entries<Rule>(rules).flatMap(([name, { isInternal }]) => (isInternal ? [] : [name]));
  checkNames(given, Object.keys(rules), check, shown);
  const options = ownOf(given);
  checkValues(options, rules, check);
  return options;
}

/**
 * Copies the fields that an object has itself, without a prototype. A program's `Object.prototype` may have any other, put there by an
 * attacker who could reach nothing else, and `unsigned` is not read from there.
 */
export const ownOf = <T extends object>(given: T): T => Object.assign(Object.create(null), given);

/**
 * The same where other names are the caller's own.
 *
 * @throws OptionError
 */
export function checkValues<T extends object>(
  given: unknown,
  rules: Rules<T>,
  { door, at }: OptionCheck,
): asserts given is T {
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const value = (given as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (value === undefined ? rule.isRequired !== true : rule.holds(value)) continue;
    const plain = rule.isSecret ? kindOf(value) : describe(value);
    const { received, hint } = rule.describe?.(value) ?? { received: plain, hint: undefined };
    throw new OptionError(door, pathOf(at, name), rule.expected, received, hint);
  }
}

/** Refuses anything but an object of options. @throws OptionError */
export function checkObject(given: unknown, { door, at, example }: OptionCheck): asserts given is object {
  const kind = kindOf(given);
  // Nothing can be read of a Map or a Promise, which would then mean no options at all: a filter that means everything.
  if (kind !== 'an object' && kind !== 'a Module') {
    throw new OptionError(door, at ?? 'options', 'an object', kind, example && `Write ${example}`);
  }
}

/** @throws OptionError */
export function checkNames(
  given: unknown,
  known: readonly string[],
  check: OptionCheck,
  shown = known,
): asserts given is Readonly<Record<string, unknown>> {
  checkObject(given, check);
  const { door, at, advise } = check;
  const [unknown] = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name)) ?? [];
  if (unknown === undefined) return;
  const hint = advise?.(unknown) ?? spelling(unknown, shown);
  throw new OptionError(door, pathOf(at, excerpt(unknown)), 'a known option', 'an unknown name', hint);
}

/** Refuses a call of a constructor that only `open` may call, which gives it the open parts. @throws OptionError */
export function checkOpened(parts: { readonly clock: unknown } | undefined, door: Door, call: string): void {
  if (parts?.clock === undefined) throw new OptionError(door, 'new', `written as \`await ${call}\``, 'a constructor');
}

/** The options that have a default, filled in. */
export type Filled<T, D> = { readonly [K in keyof T & keyof D]-?: Exclude<T[K], undefined> };

/** Returns the options that have a default, each as given or else its default. */
export function withDefaults<T extends object, D extends Partial<T>>(given: T, defaults: D): Filled<T, D> {
  const own = ownOf(given);
  const names = Object.keys(defaults) as (keyof T & keyof D)[];
  return Object.fromEntries(names.map((name) => [name, own[name] ?? defaults[name]])) as Filled<T, D>;
}

/**
 * Refuses an unknown event, and a listener that cannot be called.
 *
 * @param elsewhere what other programs call an event that has another name here
 * @throws OptionError
 */
export function checkListener(
  door: Door,
  events: readonly string[],
  [event, listener]: readonly [event: unknown, listener: unknown],
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  if (typeof event !== 'string' || !events.includes(event)) {
    const name = typeof event === 'string' ? event : '';
    const meant = Object.hasOwn(elsewhere, name) ? elsewhere[name] : suggest(name, events);
    const hint = meant && `Use \`${meant}\``;
    throw new OptionError(door, 'event', `one of ${events.join(', ')}`, describe(event), hint);
  }
  if (!isFunction(listener)) throw new OptionError(door, 'listener', 'a function', describe(listener));
}

const pathOf = (at: string | undefined, name: string): string => (at === undefined ? name : `${at}.${name}`);

function spelling(name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  return meant === undefined ? `There are ${known.join(', ')}` : `Did you mean \`${meant}\`?`;
}

/** Advises our name of an option that other libraries name differently: `{ timeout: '`requestTimeout`' }`. */
export const elsewhere =
  (names: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    Object.hasOwn(names, name) ? `Use ${names[name]}` : undefined;

export const required = (rule: Rule): Rule & { readonly isRequired: true } => ({ ...rule, isRequired: true });

export const integer = (from: number, to = Number.MAX_SAFE_INTEGER): Rule => ({
  expected: to === Number.MAX_SAFE_INTEGER ? `an integer from ${from} up` : `an integer from ${from} to ${to}`,
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to,
});

/** A number of milliseconds, at most what a timer can be set to. */
export const milliseconds = (from: number): Rule => integer(from, LONGEST_TIMER_MS);

/** The longest wait of a method. */
export const timeLimit: Rule = {
  expected: `a number of milliseconds from 0 to ${LONGEST_TIMER_MS}`,
  holds: (value) => typeof value === 'number' && value >= 0 && value <= LONGEST_TIMER_MS,
};

export const flag: Rule = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };

export const isFunction = (value: unknown): boolean => typeof value === 'function';

export const callback: Rule = { expected: 'a function', holds: isFunction };

export const oneOf = (...values: readonly string[]): Rule => ({
  expected: values.map((value) => `'${value}'`).join(' or '),
  holds: (value) => values.some((each) => each === value),
});

export const text: Rule = { expected: 'a string', holds: (value) => typeof value === 'string' };

/** Checks only the members of an `AbortSignal` that are used. */
export const abortSignal: Rule = {
  expected: 'an AbortSignal',
  holds: (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
};

/** The option is checked where it is resolved. */
export const anything: Rule = { expected: '', holds: () => true };

/** A service checks the rest. */
export const notNull: Rule = { expected: 'a value, or left out', holds: (value) => value !== null };

/** Only our tests give this option. */
export const internal: Rule = { expected: '', holds: () => true, isInternal: true };
