import type { DestinationReport } from '../../../service/api/answers.js';
import { pathOf, send } from './api.js';
import { Switch } from './switch.js';

const ON = 'On: new messages are forwarded here.';
const OFF = 'Off: new messages are neither forwarded here nor kept for later. Waiting deliveries still go out.';

function enabledMeaning(isOn: boolean, isChosen: boolean, isConfigured: boolean): string {
  if (isOn && isChosen) return ON;
  if (!isOn) return isConfigured ? OFF : `${OFF} It is off in the configuration too.`;
  return isConfigured ? '' : 'On here, off in the configuration.';
}

/** Turns a destination off, and pauses it. */
export function Switches({ report, onChange }: { report: DestinationReport; onChange(): void }) {
  const { name, enabled, configuredEnabled, paused } = report;
  const put = async (what: 'enabled' | 'paused', value: boolean): Promise<void> => {
    await send('PUT', pathOf('destinations', name, what), { [what]: value });
    onChange();
  };
  return (
    <div class="switches">
      <Switch
        label={`Forward to ${name}`}
        texts={['Forwarding', 'Not forwarding']}
        words={['on', 'off']}
        isOn={enabled}
        meaningOf={(isOn, isChosen) => enabledMeaning(isOn, isChosen, configuredEnabled)}
        set={(isOn) => put('enabled', isOn)}
      />
      {paused !== undefined && (
        <Switch
          label={`Deliver to ${name}`}
          texts={['Delivering', 'Paused']}
          words={['delivering', 'paused']}
          isOn={!paused}
          meaningOf={(isOn, isChosen) => {
            if (!isOn) return 'Paused: new messages are kept, and nothing is sent until it is resumed.';
            return isChosen ? 'Delivering: what waited goes out now.' : '';
          }}
          set={(isOn) => put('paused', !isOn)}
        />
      )}
    </div>
  );
}
