import type { ComponentChildren } from 'preact';
import { formatCount } from '../../../base/text/plural.js';
import { queryOf, setQuery } from '../page-router.js';
import { Button, Empty } from './detail.js';

export interface FilterFieldProps {
  /** The field of the address that holds the typed text. */
  readonly query: string;
  readonly label: string;
  /** Shown in an empty field instead of the label, beside a magnifying glass. */
  readonly placeholder?: string;
}

/** The service accepts texts of 2,048 bytes, and a UTF-16 code unit takes at most three bytes. */
const MOST_LETTERS = 680;

/** Filters a list by a text. */
export const FilterField = ({ query, label, placeholder }: FilterFieldProps) => (
  <label class="field">
    <span class="hidden">{label}</span>
    {placeholder !== undefined && (
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M11 7a4 4 0 1 0-8 0 4 4 0 0 0 8 0m-1 3 3.5 3.5" />
      </svg>
    )}
    <input
      type="search"
      id={`filter-${query}`}
      placeholder={placeholder ?? label}
      maxLength={MOST_LETTERS}
      autocomplete="off"
      spellcheck={false}
      value={queryOf(query)}
      onInput={({ currentTarget }) => setQuery({ [query]: currentTarget.value })}
      onKeyDown={({ key }) => key === 'ArrowDown' && document.querySelector<HTMLElement>('.list')?.focus()}
    />
  </label>
);

export interface ChipsProps {
  readonly label: string;
  readonly of: readonly (readonly [name: string, look: string, count: number])[];
  readonly chosen: readonly string[];
  onToggle(name: string): void;
}

/** Filters a list by switches, each with the number of its items. */
export const Chips = ({ label, of, chosen, onToggle }: ChipsProps) => (
  <fieldset class="types bar">
    <legend class="hidden">{label}</legend>
    {of.map(([name, look, count]) => (
      <Button key={name} look={`chip ${look}`} pressed={chosen.includes(name)} onClick={() => onToggle(name)}>
        {name} <span class="count">{formatCount(count)}</span>
      </Button>
    ))}
  </fieldset>
);

/** Shown instead of a list whose filters match nothing. `fields` are the fields of the address that hold the filters. */
export const NoMatch = (props: { title: string; fields: readonly string[]; children: ComponentChildren }) => (
  <Empty title={props.title}>
    <p>{props.children}</p>
    <Button onClick={() => setQuery(Object.fromEntries(props.fields.map((field) => [field, ''])))}>
      Reset filters
    </Button>
  </Empty>
);
