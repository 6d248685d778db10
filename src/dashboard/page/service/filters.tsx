import { useId, useState } from 'preact/hooks';
import type { DestinationPage } from '../../../service/api/answers.js';
import { queryOf, setQuery } from '../router.js';
import { Button } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { get, withQuery } from './api.js';
import { usePolled } from './poll.js';

/** A field of the address in which one of a few values is chosen. */
export function Choice(props: {
  readonly field: string;
  readonly label: string;
  /** What no choice is called; without it there is always one. */
  readonly any?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value?: string;
  onPick?(value: string): void;
}) {
  const { field, label, any, options, value = queryOf(field), onPick = (to) => setQuery({ [field]: to }) } = props;
  // An address may name one that is gone.
  const isUnknown = value !== '' && !options.some(([each]) => each === value);
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        {any !== undefined && <option value="">{any}</option>}
        {isUnknown && <option value={value}>{visible(value)}</option>}
        {options.map(([each, text], index) => (
          <option key={`${index} ${each}`} value={each}>
            {visible(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** From when until when, in the time zone of the browser. */
export const TimeRange = () => (
  <>
    {(['from', 'to'] as const).map((field) => (
      <label class="choice" key={field}>
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

/** The name of a destination, with those offered whose name, sources or webhooks hold what was typed. */
export function DestinationField(props: { label: string; value: string; onPick(name: string): void }) {
  const { label, value, onPick } = props;
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const path = withQuery('/v1/destinations', { q: typed, sort: 'name', limit: '10' });
  const { value: page } = usePolled(
    typed === undefined ? '' : path,
    (signal) => get<DestinationPage>(path, signal),
    NAMES_MS,
  );
  const id = useId();
  /** A part of a name means none yet, so that it waits until its reader is done. */
  const pick = (): void => {
    if (typed !== undefined && typed.trim() !== value) onPick(typed.trim());
  };
  return (
    <label class="field plain">
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

/** How often the names of destinations are asked for. */
const NAMES_MS = 60_000;

const HOUR_MS = 60 * 60_000;

/** As a field of the browser has a time, in its time zone, and to the minute. */
function inputTime(ms: number): string {
  const time = new Date(ms);
  return new Date(ms - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A time of the address as the service takes it; empty where it is none. */
export function timeInQuery(field: 'from' | 'to'): string {
  const time = new Date(queryOf(field));
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
