import { useRef, useState } from 'preact/hooks';
import type { DestinationReport } from '../../../service/api/answers.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Section, whyUnchangeable } from '../ui/detail.js';
import { change, pathOf, problemOf, send } from './api.js';

interface SwitchProps {
  readonly report: DestinationReport;
  onChange(): void;
}

const wordOf = (isOn: boolean): string => (isOn ? 'delivering' : 'paused');

function meaningOf(isOn: boolean, isOwn: boolean): string {
  if (!isOn) return 'Paused: new messages are kept, and nothing is sent until it is resumed.';
  return isOwn ? 'Delivering: what waited goes out now.' : '';
}

/** Holds deliveries back at once, which loses nothing, with an undo beside it. */
export function PauseSwitch({ report: { name, paused }, onChange }: SwitchProps) {
  const element = useRef<HTMLButtonElement>(null);
  /** Where it goes while that is asked for. */
  const [asked, setAsked] = useState<boolean | undefined>(undefined);
  /** What was chosen here, which can be undone. */
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const [problem, setProblem] = useState<{ text: string; at: boolean } | undefined>(undefined);
  const isOn = asked ?? !paused;
  // Somebody else has switched it since, or it was switched here although no answer came.
  const isOwn = chosen !== undefined && chosen === isOn;
  const says = problem !== undefined && problem.at === isOn ? problem.text : '';

  const turn = async (to: boolean, choice: boolean | undefined): Promise<void> => {
    if (asked !== undefined) return;
    // The undo button disappears with its press.
    if (choice === undefined) element.current?.focus();
    setAsked(to);
    setChosen(choice);
    setProblem(undefined);
    try {
      await send('PUT', pathOf('destinations', name, 'paused'), { paused: !to });
      onChange();
    } catch (error) {
      setChosen(undefined);
      setProblem({ text: `It is still ${wordOf(!to)}. ${problemOf(error)}`, at: !to });
    }
    setAsked(undefined);
  };

  return (
    <div class="line">
      <button
        ref={element}
        type="button"
        role="switch"
        class="switch"
        aria-checked={isOn}
        aria-label={`Deliver to ${name}`}
        disabled={whyUnchangeable.value !== ''}
        title={whyUnchangeable.value || undefined}
        onClick={() => turn(!isOn, !isOn)}
      >
        <span class="knob" />
        {isOn ? 'Delivering' : 'Paused'}
      </button>
      <p class={says === '' ? 'note' : 'bad'} role="status">
        {asked === undefined ? says || meaningOf(isOn, isOwn) : `Switching ${wordOf(asked)} …`}
      </p>
      {isOwn && asked === undefined && <Button onClick={() => void turn(!isOn, undefined)}>Undo</Button>}
    </div>
  );
}

const OFF = 'Off: new messages are neither forwarded here nor kept for later. Waiting deliveries still go out.';

function stateText({ enabled, configuredEnabled }: DestinationReport): string {
  if (enabled) return configuredEnabled ? 'On: new messages are forwarded here.' : 'On here, off in the configuration.';
  return configuredEnabled ? OFF : `${OFF} It is off in the configuration too.`;
}

/** Turns a destination off, which loses what comes in meanwhile, so that it stands apart from the pause and asks first. */
export function Forwarding({ report, onChange }: SwitchProps) {
  const turn = async (enabled: boolean): Promise<void> => {
    await change('PUT', pathOf('destinations', report.name, 'enabled'), { enabled });
    onChange();
  };
  return (
    <Section
      title="Forwarding"
      beside={
        report.enabled ? (
          <ConfirmButton
            text="Stop forwarding"
            question="New messages then never reach this destination, now or later. To hold them back, pause it."
            cancel="Go on"
            onConfirm={() => turn(false)}
          />
        ) : (
          <Button isChange onClick={() => void turn(true)}>
            Forward again
          </Button>
        )
      }
    >
      <p class="note" role="status">
        {stateText(report)}
      </p>
    </Section>
  );
}
