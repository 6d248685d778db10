import { useEffect, useRef, useState } from 'preact/hooks';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Section, whyUnchangeable } from '../ui/detail.js';
import { change, problemOf, send } from './api.js';

interface SwitchProps {
  readonly report: DestinationReport;
}

const wordOf = (isOn: boolean): string => (isOn ? 'delivering' : 'paused');

function meaningOf({ enabled }: DestinationReport, isOn: boolean, isOwn: boolean): string {
  if (!isOn)
    return `Paused: new messages are ${enabled ? 'kept' : 'dropped, as it is off'}, and nothing is sent until it is resumed.`;
  if (!enabled) return 'Off: new messages are dropped. Only what waits already is delivered.';
  return isOwn ? 'Delivering: what waited goes out now.' : '';
}

interface Turned {
  /** The state that was requested, until the service reports its state again. */
  readonly asked?: boolean;
  /** The state that the user chose here and can undo. */
  readonly chosen?: boolean | undefined;
  /** Why it could not be turned, and the state that it then had. */
  readonly problem?: readonly [text: string, at: boolean];
}

/** Turns the switch of a destination, and keeps what the user chose and what the service says. */
function usePause(report: DestinationReport) {
  const { name, paused } = report;
  const [isSending, setSending] = useState(false);
  const [{ asked, chosen, problem }, set] = useState<Turned>({});
  const isOn = asked ?? !paused;
  useEffect(() => {
    if (!isSending) set(({ asked: _, ...rest }) => rest);
  }, [report]);
  const turn = async (to: boolean, choice: boolean | undefined): Promise<void> => {
    if (isSending) return;
    setSending(true);
    set({ asked: to, chosen: choice });
    try {
      await send('PUT /v1/destinations/:name/paused', { paused: !to }, { name });
    } catch (error) {
      set({ problem: [`It is still ${wordOf(!to)}. ${problemOf(error)}`, !to] });
    }
    setSending(false);
  };
  // Somebody else may have switched it since, or a request without an answer may have succeeded.
  return { isOn, isSending, turn, isOwn: chosen === isOn, problem: problem?.[1] === isOn ? problem[0] : '' };
}

/** Pauses deliveries without asking first, because nothing is lost and there is an *Undo* button. */
export function PauseSwitch({ report }: SwitchProps) {
  const element = useRef<HTMLButtonElement>(null);
  const { isOn, isSending, isOwn, problem, turn } = usePause(report);
  const undo = (): void => {
    // The undo button had the focus, and disappears when it is pressed.
    element.current?.focus();
    void turn(!isOn, undefined);
  };
  return (
    <div class="line">
      <button
        ref={element}
        type="button"
        role="switch"
        class="switch"
        aria-checked={isOn}
        aria-label={`Deliver to ${report.name}`}
        disabled={whyUnchangeable.value !== ''}
        title={whyUnchangeable.value || undefined}
        onClick={() => turn(!isOn, !isOn)}
      >
        <span class="knob" />
        {isOn ? (report.enabled ? 'Delivering' : 'Delivering what waits') : 'Paused'}
      </button>
      <p class={problem === '' ? 'note' : 'bad'} role="status">
        {isSending ? `Switching ${wordOf(isOn)} …` : problem || meaningOf(report, isOn, isOwn)}
      </p>
      {isOwn && !isSending && <Button onClick={undo}>Undo</Button>}
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
