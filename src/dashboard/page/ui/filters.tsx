import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { queryOf, setQuery } from '../page-router.js';
import { Button } from './detail.js';
import { visible } from './visible.js';

/** The number of items by what a filter may select. */
export type FilterCounts = Readonly<Record<string, number>>;

/** A filter of a list. The address holds its value, so that a link to the page leads to the same items. */
export interface Filter {
  /** The field of the address. */
  readonly field: string;
  readonly label: string;
  /** The name that the service has for it. @default `field` */
  readonly as?: string;
  /** True if it sets only the order of the items. @default false */
  readonly isOrder?: boolean;
  /** True if it is shown only on request. @default false */
  readonly isFolded?: boolean;
  /** False while the other filters leave nothing for it to select. */
  isMeant?(): boolean;
  /** Converts the value to what the service takes; empty if it is unknown. @default trims it */
  take?(value: string): string;
  /** Draws the input. Without it, something else on the page sets the value. */
  draw?(counts: FilterCounts): ComponentChildren;
}

type More = Omit<Filter, 'field' | 'label' | 'draw'>;

const taken = ({ field, isMeant, take }: Filter): string => {
  const value = isMeant?.() === false ? '' : queryOf(field).trim();
  return value === '' || take === undefined ? value : take(value);
};

/** Returns the filters as the service takes them. */
export const takenBy = (filters: readonly Filter[]): Record<string, string> =>
  Object.fromEntries(filters.map((filter) => [filter.as ?? filter.field, taken(filter)]));

/** Clears the filters in the address. */
const clear = (filters: readonly Filter[]): void =>
  setQuery(Object.fromEntries(filters.map(({ field }) => [field, ''])));

/** True if the filter may hide items. */
const isSet = ({ field, isOrder = false }: Filter): boolean => !isOrder && queryOf(field) !== '';

/** Clears the filters that may hide items. An order stays. */
export const reset = (filters: readonly Filter[]): void => clear(filters.filter(isSet));

export const isAnySet = (filters: readonly Filter[]): boolean => filters.some(isSet);

/** The service accepts texts of 2,048 bytes, and a UTF-16 code unit takes at most three bytes. */
const MOST_LETTERS = 680;

/** A text to search for. A `placeholder` is shown instead of the label, beside a magnifying glass. */
export const text = (
  field: string,
  label: string,
  { placeholder, ...more }: More & { placeholder?: string } = {},
): Filter => ({
  ...{ field, label, ...more },
  draw: () => (
    <label class="field">
      <span class="hidden">{label}</span>
      {placeholder !== undefined && (
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M11 7a4 4 0 1 0-8 0 4 4 0 0 0 8 0m-1 3 3.5 3.5" />
        </svg>
      )}
      <input
        type="search"
        id={`filter-${field}`}
        placeholder={placeholder ?? label}
        maxLength={MOST_LETTERS}
        autocomplete="off"
        spellcheck={false}
        value={queryOf(field)}
        onInput={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
        onKeyDown={({ key }) => key === 'ArrowDown' && document.querySelector<HTMLElement>('.list')?.focus()}
      />
    </label>
  ),
});

type Options = readonly (readonly [value: string, text: string])[];

/** One of a few values. `any` is the text of the option for no choice. */
export function choice(field: string, label: string, any: string, options: Options, more: More = {}): Filter {
  const take = (value: string): string => options.find(([each]) => each === value)?.[0] ?? '';
  return {
    ...{ field, label, take, ...more },
    draw: () => (
      <select
        aria-label={label}
        value={take(queryOf(field))}
        onChange={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
      >
        <option value="">{any}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    ),
  };
}

/** Returns the values of a filter that allows several. */
export const chosenIn = (field: string): readonly string[] => queryOf(field).split(',').filter(Boolean);

/** Switches, each with its style and the number of its items. Only those that are counted or chosen are shown. */
export function chips(field: string, label: string, looks: Readonly<Record<string, string>>, isMany: boolean): Filter {
  const take = (value: string): string => (isMany || Object.hasOwn(looks, value) ? value : '');
  const toggle = (name: string, chosen: readonly string[]): void => {
    const others = isMany ? chosen.filter((each) => each !== name) : [];
    setQuery({ [field]: (chosen.includes(name) ? others : [...others, name]).join(',') });
  };
  const draw = (counts: FilterCounts) => {
    const chosen = chosenIn(field);
    const shown = Object.entries(looks).filter(([name]) => chosen.includes(name) || counts[name] !== undefined);
    return (
      <fieldset class="types bar">
        <legend class="hidden">Filter by {label.toLowerCase()}</legend>
        {shown.map(([name, look]) => (
          <Button
            key={name}
            look={`chip ${look}`}
            aria-pressed={chosen.includes(name)}
            onClick={() => toggle(name, chosen)}
          >
            {name} <span class="count">{formatCount(counts[name] ?? 0)}</span>
          </Button>
        ))}
      </fieldset>
    );
  };
  return { field, label, take, draw };
}

const HOUR_MS = 60 * 60_000;

/** The format of a date input: in the browser's time zone, to the minute. */
function inputTime(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const lastHour = (): void => setQuery({ from: inputTime(Date.now() - HOUR_MS), to: '' });

const time = (field: string, label: string, isLast: boolean): Filter => ({
  ...{ field, label, isFolded: true },
  take: (value) => (Number.isNaN(Date.parse(value)) ? '' : new Date(value).toISOString()),
  draw: () => (
    <>
      <label class="bar note">
        {label}
        <input
          type="datetime-local"
          value={queryOf(field)}
          onInput={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
        />
      </label>
      {isLast && <Button onClick={lastHour}>Last hour</Button>}
    </>
  ),
});

/** A time range, in the time zone of the browser. */
export const times: readonly Filter[] = [time('from', 'From', false), time('to', 'Until', true)];

interface FiltersProps {
  readonly of: readonly Filter[];
  readonly counts?: FilterCounts | undefined;
  /** A text about what the list shows, in the space that the filters leave. */
  readonly note?: string | undefined;
}

/** Shows the filters of a list in one row, or many of them in columns, some of which are shown only on request. */
export function Filters({ of: filters, counts = {}, note }: FiltersProps) {
  const [isUnfolded, unfold] = useState(false);
  const draw = (shown: readonly Filter[]) =>
    shown
      .filter(({ isMeant }) => isMeant?.() !== false)
      .map(({ field, draw }) => draw && <Fragment key={field}>{draw(counts)}</Fragment>);
  const folded = filters.filter(({ isFolded }) => isFolded);
  const drawn = draw(filters.filter(({ isFolded }) => !isFolded));
  const [first, ...others] = note === undefined ? drawn : [<p class="note">{note}</p>, ...drawn];
  if (folded.length === 0)
    return (
      <div class="strip filters line apart">
        {first}
        <div class="bar">{others}</div>
      </div>
    );
  const used = folded.filter(isSet).length;
  return (
    <search class="strip many">
      {drawn}
      <Button aria-expanded={isUnfolded} onClick={() => unfold(!isUnfolded)}>
        {used === 0 ? 'More filters' : `More filters: ${formatCount(used)} set`}
      </Button>
      {isUnfolded && draw(folded)}
    </search>
  );
}

/** Shows which values of the address are unknown and therefore ignored. */
export function Ignored({ of: filters }: { of: readonly Filter[] }) {
  const ignored = filters.filter(
    (filter) => filter.isMeant?.() !== false && queryOf(filter.field).trim() !== '' && taken(filter) === '',
  );
  if (ignored.length === 0) return null;
  const names = ignored.map(({ field, label }) => `${label.split(':')[0]} “${visible(queryOf(field))}”`);
  return (
    <div class="strip line note" role="status">
      <p>The address asks for what there is not, which is left out: {names.join(', ')}.</p>
      <Button look="link" onClick={() => clear(ignored)}>
        Remove it
      </Button>
    </div>
  );
}
