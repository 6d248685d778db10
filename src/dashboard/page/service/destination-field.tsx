import { useId, useState } from 'preact/hooks';
import { useAnswer } from './poll.js';

/** The interval in ms at which the names of destinations are read. */
const NAMES_MS = 60_000;

interface DestinationFieldProps {
  readonly label: string;
  readonly value: string;
  onPick(name: string): void;
}

/** An input for the name of a destination. It suggests destinations whose name, sources or webhooks contain the typed text. */
export function DestinationField({ label, value, onPick }: DestinationFieldProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const asked = typed === undefined ? undefined : { q: typed, sort: 'name', limit: '10' };
  const { value: page } = useAnswer('GET /v1/destinations', asked, NAMES_MS);
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
