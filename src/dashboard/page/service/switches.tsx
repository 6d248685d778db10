import { useEffect, useState } from 'preact/hooks';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Section, whyUnchangeable } from '../ui/detail.js';
import { change, problemOf, send } from './api.js';

interface SwitchProps {
  readonly report: DestinationReport;
}

const wordOf = (isPaused: boolean): string => (isPaused ? 'paused' : 'delivering');

function meaningOf({ enabled }: DestinationReport, isPaused: boolean): string {
  if (isPaused)
    return `Paused: new messages are ${enabled ? 'kept' : 'dropped, as it is off'}, and nothing is sent until it is resumed.`;
  return enabled ? '' : 'Off: new messages are dropped. Only what waits already is delivered.';
}

/** Pauses and resumes deliveries without asking first, because nothing is lost and the switch undoes it. */
export function PauseSwitch({ report }: SwitchProps) {
  const { name, paused, enabled } = report;
  /** The state that was requested, until the service reports its state again. */
  const [asked, ask] = useState<boolean | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const isPaused = asked ?? paused;
  useEffect(() => {
    if (!isSending) ask(undefined);
  }, [report]);
  // Somebody else may have switched it since, or a request without an answer may have succeeded.
  useEffect(() => setProblem(''), [paused]);
  const turn = async (): Promise<void> => {
    if (isSending) return;
    setSending(true);
    ask(!isPaused);
    setProblem('');
    try {
      await send('PUT /v1/destinations/:name/paused', { paused: !isPaused }, { name });
    } catch (error) {
      ask(undefined);
      setProblem(`It is still ${wordOf(isPaused)}. ${problemOf(error)}`);
    }
    setSending(false);
  };
  return (
    <div class="line">
      <button
        type="button"
        role="switch"
        class="switch"
        aria-checked={!isPaused}
        aria-label={`Deliver to ${name}`}
        disabled={whyUnchangeable.value !== ''}
        title={whyUnchangeable.value || undefined}
        onClick={turn}
      >
        <span class="knob" />
        {isPaused ? 'Paused' : enabled ? 'Delivering' : 'Delivering what waits'}
      </button>
      <p class={problem === '' ? 'note' : 'bad'} role="status">
        {isSending ? `Switching to ${wordOf(isPaused)} …` : problem || meaningOf(report, isPaused)}
      </p>
    </div>
  );
}

const OFF = 'Off: new messages are neither forwarded here nor kept for later. Waiting deliveries still go out.';

function stateText({ enabled, configuredEnabled }: DestinationReport): string {
  if (enabled) return configuredEnabled ? 'On: new messages are forwarded here.' : 'On here, off in the configuration.';
  return configuredEnabled ? OFF : `${OFF} It is off in the configuration too.`;
}

/** Disables a destination. It asks first and is separate from the pause, because messages that arrive meanwhile are lost. */
export function Forwarding({ report }: SwitchProps) {
  const turn = (enabled: boolean): Promise<void> =>
    change('PUT /v1/destinations/:name/enabled', { enabled }, { name: report.name });
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
          <Button isChange onClick={() => turn(true)}>
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
