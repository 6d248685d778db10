import type { JSX } from 'preact';
import { queryOf, setQuery } from '../router.js';

export interface FilterFieldProps {
  readonly id: string;
  /** The field of the address that holds what was typed. */
  readonly query: string;
  readonly label: string;
  readonly placeholder: string;
  readonly icon: JSX.Element;
  /** The list to which the arrow down leads. */
  readonly list?: string;
  readonly look?: string;
}

/** A text by which a list is filtered. */
export const FilterField = ({ id, query, label, placeholder, icon, list, look = 'field' }: FilterFieldProps) => (
  <label class={look}>
    <span class="hidden">{label}</span>
    {icon}
    <input
      type="search"
      id={id}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      value={queryOf(query)}
      onInput={({ currentTarget }) => setQuery({ [query]: currentTarget.value })}
      onKeyDown={({ key }) => key === 'ArrowDown' && list !== undefined && document.getElementById(list)?.focus()}
    />
  </label>
);
