import type { DestinationReport } from '../../../service/api/answers.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button } from '../ui/detail.js';
import { pathOf, sayProblem, send } from './api.js';
import { Switch } from './switch.js';

interface SwitchProps {
  readonly report: DestinationReport;
  onChange(): void;
}

/** Holds deliveries back, which loses nothing. */
export const PauseSwitch = ({ report: { name, paused }, onChange }: SwitchProps) => (
  <Switch
    label={`Deliver to ${name}`}
    texts={['Delivering', 'Paused']}
    words={['delivering', 'paused']}
    isOn={!paused}
    meaningOf={(isOn, isChosen) => {
      if (!isOn) return 'Paused: new messages are kept, and nothing is sent until it is resumed.';
      return isChosen ? 'Delivering: what waited goes out now.' : '';
    }}
    set={async (isOn) => {
      await send('PUT', pathOf('destinations', name, 'paused'), { paused: !isOn });
      onChange();
    }}
  />
);

const OFF = 'Off: new messages are neither forwarded here nor kept for later. Waiting deliveries still go out.';

function stateText({ enabled, configuredEnabled }: DestinationReport): string {
  if (enabled) return configuredEnabled ? 'On: new messages are forwarded here.' : 'On here, off in the configuration.';
  return configuredEnabled ? OFF : `${OFF} It is off in the configuration too.`;
}

/** Turns a destination off, which loses what comes in meanwhile, so that it stands apart from the pause and asks first. */
export function Forwarding({ report, onChange }: SwitchProps) {
  const { name, enabled } = report;
  const turn = async (isOn: boolean): Promise<void> => {
    try {
      await send('PUT', pathOf('destinations', name, 'enabled'), { enabled: isOn });
    } catch (error) {
      sayProblem(error);
    }
    onChange();
  };
  return (
    <section aria-label="Forwarding">
      <div class="line">
        <h3>Forwarding</h3>
        {enabled ? (
          <ConfirmButton
            text="Stop forwarding"
            question="New messages then never reach this destination, now or later. To hold them back, pause it."
            cancel="Go on"
            onConfirm={() => turn(false)}
          />
        ) : (
          <Button onClick={() => void turn(true)}>Forward again</Button>
        )}
      </div>
      <p class="about" role="status">
        {stateText(report)}
      </p>
    </section>
  );
}
