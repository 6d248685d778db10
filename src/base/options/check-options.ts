import { type Door, OptionError } from '../errors/errors.js';
import { suggest } from '../platform/node.js';
import { describe, kindOf } from '../text/describe.js';
import { excerpt } from '../text/printable.js';
import { LONGEST_TIMER_MS } from '../time/clock.js';

/** The rule of one option. Without `isRequired`, `undefined` means the default and is not checked. */
export interface Rule {
  /** The expected values, as the error describes them: `an integer from 1 up`. */
  readonly expected: string;
  holds(value: unknown): boolean;
  readonly isRequired?: true;
  /** The error shows only the kind of the value, because even a wrong value may be a secret. */
  readonly isSecret?: true;
  /** Describes a wrong value and says what to write instead. @default the same short description as for any value */
  describe?(value: unknown): { readonly received: string; readonly hint?: string };
  /** Errors do not mention this option. */
  readonly isInternal?: true;
}

/** A rule for each option. An option without one does not compile, nor a required one without `isRequired`. */
export type Rules<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Rule : Rule & { readonly isRequired: true };
};

export interface OptionCheck {
  readonly door: Door;
  /** The place of the options if they are nested: `webhooks[2]`. */
  readonly at?: string;
  /** Shows how the options are written to a caller who passed something else: `close({ timeout: 1000 })`. */
  readonly example?: string;
  /** Says what to write instead of a name that another library uses. */
  advise?(name: string): string | undefined;
}

/**
 * Returns the object's own options. Refuses a value that is not an object of options, a name without a rule, and the first value
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
 * Copies an object's own fields into an object without a prototype. An attacker may have put fields such as `unsigned` into the
 * program's `Object.prototype`, which must not count as options.
 */
export const ownOf = <T extends object>(given: T): T => Object.assign(Object.create(null), given);

/**
 * Like `checkOptions`, but ignores names without a rule, which belong to the caller.
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
  // A Map or a Promise has no properties to read, so it would count as an empty set of options; an empty filter, for example,
  // matches everything.
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

/** Refuses a direct call of a constructor, to which only `open` passes the opened parts. @throws OptionError */
export function checkOpened(parts: { readonly clock: unknown } | undefined, door: Door, call: string): void {
  if (parts?.clock === undefined) throw new OptionError(door, 'new', `written as \`await ${call}\``, 'a constructor');
}

/** The options that have a default, with the defaults filled in. */
export type Filled<T, D> = { readonly [K in keyof T & keyof D]-?: Exclude<T[K], undefined> };

/** Returns each option that has a default: the given value, or else the default. */
export function withDefaults<T extends object, D extends Partial<T>>(given: T, defaults: D): Filled<T, D> {
  const own = ownOf(given);
  const names = Object.keys(defaults) as (keyof T & keyof D)[];
  return Object.fromEntries(names.map((name) => [name, own[name] ?? defaults[name]])) as Filled<T, D>;
}

/**
 * Refuses an unknown event, and a listener that cannot be called.
 *
 * @param elsewhere the names that other libraries use for our events
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

/** Advises our name for an option that other libraries call something else: `{ timeout: '`requestTimeout`' }`. */
export const elsewhere =
  (names: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    Object.hasOwn(names, name) ? `Use ${names[name]}` : undefined;

export const required = (rule: Rule): Rule & { readonly isRequired: true } => ({ ...rule, isRequired: true });

export const integer = (from: number, to = Number.MAX_SAFE_INTEGER): Rule => ({
  expected: to === Number.MAX_SAFE_INTEGER ? `an integer from ${from} up` : `an integer from ${from} to ${to}`,
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to,
});

/** A number of milliseconds that fits in a timer. */
export const milliseconds = (from: number): Rule => integer(from, LONGEST_TIMER_MS);

/** The longest time that a method may wait, in milliseconds. */
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

/** Checks only the members of an `AbortSignal` that we use. */
export const abortSignal: Rule = {
  expected: 'an AbortSignal',
  holds: (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
};

/** The option is checked where it is resolved. */
export const anything: Rule = { expected: '', holds: () => true };

/** The service checks everything else. */
export const notNull: Rule = { expected: 'a value, or left out', holds: (value) => value !== null };

/** Only our tests give this option. */
export const internal: Rule = { expected: '', holds: () => true, isInternal: true };
