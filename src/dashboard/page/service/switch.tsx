import { useRef, useState } from 'preact/hooks';
import { problemOf } from './api.js';

export interface SwitchProps {
  /** `Forward to CRM`. */
  readonly label: string;
  readonly isOn: boolean;
  /** What stands beside it. */
  readonly texts: readonly [on: string, off: string];
  /** The states in a sentence. */
  readonly words: readonly [on: string, off: string];
  /** What a state means; `chosen` when it was chosen here. */
  meaningOf(isOn: boolean, isChosen: boolean): string;
  set(isOn: boolean): Promise<unknown>;
}

/** Switches something on and off at once, with an undo beside it. */
export function Switch({ label, isOn: given, texts, words, meaningOf, set }: SwitchProps) {
  const element = useRef<HTMLButtonElement>(null);
  /** Where it goes while that is asked for. */
  const [asked, setAsked] = useState<boolean | undefined>(undefined);
  /** What was chosen here, which can be undone. */
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const [problem, setProblem] = useState<{ text: string; at: boolean } | undefined>(undefined);
  const isOn = asked ?? given;
  // Somebody else has switched it since, or it was switched here although no answer came.
  const isOwn = chosen !== undefined && chosen === isOn;
  const says = problem !== undefined && problem.at === isOn ? problem.text : '';

  const change = async (to: boolean, choice: boolean | undefined): Promise<void> => {
    if (asked !== undefined) return;
    // The undo button disappears with its press.
    if (choice === undefined) element.current?.focus();
    setAsked(to);
    setChosen(choice);
    setProblem(undefined);
    try {
      await set(to);
    } catch (error) {
      setChosen(undefined);
      setProblem({ text: `It is still ${wordOf(!to, words)}. ${problemOf(error)}`, at: !to });
    }
    setAsked(undefined);
  };

  return (
    <div class="switching">
      <button
        ref={element}
        type="button"
        role="switch"
        class="switch"
        aria-checked={isOn}
        aria-label={label}
        onClick={() => change(!isOn, !isOn)}
      >
        <span class="knob" />
        <span class="state">{isOn ? texts[0] : texts[1]}</span>
      </button>
      <div class="switched">
        <p class={says === '' ? '' : 'bad'} role="status">
          {asked === undefined ? says || meaningOf(isOn, isOwn) : `Switching ${wordOf(asked, words)} …`}
        </p>
        {isOwn && asked === undefined && (
          <button type="button" class="quiet framed" onClick={() => change(!isOn, undefined)}>
            Undo
          </button>
        )}
      </div>
    </div>
  );
}

const wordOf = (isOn: boolean, [on, off]: SwitchProps['words']): string => (isOn ? on : off);
