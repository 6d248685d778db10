import type { JSX } from 'preact';
import { queryOf, setQuery } from '../router.js';

export interface FilterFieldProps {
  /** The field of the address that holds what was typed. */
  readonly query: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly id?: string;
  readonly icon?: JSX.Element;
  /** The list to which the arrow down leads. */
  readonly list?: string;
  readonly look?: string;
}

/** A text by which a list is filtered. */
export const FilterField = (props: FilterFieldProps) => (
  <label class={`field ${props.look ?? ''}`}>
    <span class="hidden">{props.label}</span>
    {props.icon}
    <input
      type="search"
      id={props.id}
      placeholder={props.placeholder ?? props.label}
      autocomplete="off"
      spellcheck={false}
      value={queryOf(props.query)}
      onInput={({ currentTarget }) => setQuery({ [props.query]: currentTarget.value })}
      onKeyDown={({ key }) => key === 'ArrowDown' && props.list && document.getElementById(props.list)?.focus()}
    />
  </label>
);
