import { useId, useState } from 'preact/hooks';
import { isEnding } from '../../../delivery/attempt-outcome.js';
import type { DestinationPage } from '../../../service/api/answer-types.js';
import { queryOf, setQuery } from '../page-router.js';
import { Button } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { withQuery } from './api.js';
import { HOUR_MS } from './hours.js';
import { useAnswer } from './poll.js';

type Options = readonly (readonly [value: string, text: string])[];

export const Choice = (props: {
  readonly label: string;
  /** The text of the option for no choice. */
  readonly any: string;
  readonly options: Options;
  readonly value: string;
  onPick(value: string): void;
}) => (
  <select
    aria-label={props.label}
    value={props.value}
    onChange={({ currentTarget }) => props.onPick(currentTarget.value)}
  >
    <option value="">{props.any}</option>
    {props.options.map(([value, text], index) => (
      <option key={`${index} ${value}`} value={value}>
        {visible(text)}
      </option>
    ))}
  </select>
);

/** A field of the address that has one of a few values. */
export interface ChosenField {
  readonly field: string;
  readonly label: string;
  readonly any: string;
  readonly options: Options;
}

/** Returns the value of such a field; empty if the value is unknown. */
export const chosenIn = ({ field, options }: ChosenField): string =>
  options.find(([value]) => value === queryOf(field))?.[0] ?? '';

/** Shows which values of the address are unknown and therefore ignored. */
export function Ignored({ of }: { of: readonly (readonly [field: string, label: string, taken: string])[] }) {
  const ignored = of.filter(([field, , taken]) => queryOf(field) !== '' && taken === '');
  if (ignored.length === 0) return null;
  const names = ignored.map(([field, label]) => `${label} “${visible(queryOf(field))}”`);
  return (
    <div class="strip line note" role="status">
      <p>The address asks for what there is not, which is left out: {names.join(', ')}.</p>
      <Button look="link" onClick={() => setQuery(Object.fromEntries(ignored.map(([field]) => [field, ''])))}>
        Remove it
      </Button>
    </div>
  );
}

/** Lets the user choose a time range, in the time zone of the browser. */
export const TimeRange = () => (
  <>
    {(['from', 'to'] as const).map((field) => (
      <label class="choice note" key={field}>
        {field === 'from' ? 'From' : 'Until'}
        <input
          type="datetime-local"
          value={queryOf(field)}
          onInput={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
        />
      </label>
    ))}
    <Button onClick={() => setQuery({ from: inputTime(Date.now() - HOUR_MS), to: '' })}>Last hour</Button>
  </>
);

/** An input for the name of a destination. It suggests destinations whose name, sources or webhooks contain the typed text. */
export function DestinationField(props: { label: string; value: string; onPick(name: string): void }) {
  const { label, value, onPick } = props;
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const path = withQuery('/v1/destinations', { q: typed, sort: 'name', limit: '10' });
  const { value: page } = useAnswer<DestinationPage>(typed === undefined ? '' : path, NAMES_MS);
  const id = useId();
  /** Applies the text only when the user has finished, because a part of a name is not a destination. */
  const pick = (): void => {
    if (typed !== undefined && typed.trim() !== value) onPick(typed.trim());
  };
  return (
    <label class="field">
      <span class="hidden">{label}</span>
      <input
        list={id}
        placeholder={label}
        autocomplete="off"
        spellcheck={false}
        value={typed ?? value}
        onFocus={() => setTyped(value)}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && pick()}
        onBlur={() => {
          pick();
          setTyped(undefined);
        }}
      />
      <datalist id={id}>
        {page?.destinations.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

/** The interval in ms at which the names of destinations are read. */
const NAMES_MS = 60_000;

/** Writes a time in the format of a date input: in the browser's time zone, to the minute. */
function inputTime(ms: number): string {
  const time = new Date(ms);
  return new Date(ms - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns a time from the address in the form that the service takes; empty if it is not valid. */
export function timeInQuery(field: 'from' | 'to'): string {
  const time = new Date(queryOf(field));
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** Returns the result of an attempt that the address asks for; empty while only a part of it is typed. */
export function resultInQuery(): string {
  const result = queryOf('status').trim();
  return isEnding(result) ? result : '';
}
