import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeliveryChange, DeliveryCount, DeliveryPage } from '../../../service/api/delivery-answers.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { say } from '../ui/toast.js';
import { get, sayProblem, send, setOf, withQuery } from './api.js';
import { DestinationField } from './filters.js';
import { endOf, JOBS } from './jobs.js';
import { askAgain } from './poll.js';

type Act = 'replay' | 'discard';

interface BulkProps {
  /** The filter as it is in the address. */
  readonly query: Readonly<Record<string, string>>;
  /** True if the destination is no longer configured, so that a replay needs another one. */
  readonly isRemoved: boolean;
  onDone(): void;
}

/** Replays or discards the deliveries that match a filter, after showing their number and asking for confirmation. */
export function Bulk({ query, isRemoved, onDone }: BulkProps) {
  const [count, setCount] = useState<DeliveryCount | undefined>(undefined);
  const [rate, setRate] = useState('');
  const [isRate, setIsRate] = useState(true);
  const [sendTo, setSendTo] = useState('');
  const { phase, destination } = query;
  const isWaiting = phase === 'waiting';
  const hasTarget = !isRemoved || sendTo !== '';
  // Other lists contain deliveries that have ended, or that wait at several destinations.
  if (phase !== 'dead' && !(isWaiting && destination !== '')) return null;
  const which = isWaiting ? 'what waits' : 'dead letters';

  const find = async (): Promise<boolean> => {
    if (isWaiting) return true;
    try {
      const page = await get<DeliveryPage>(
        withQuery('/v1/deliveries', { ...query, phase: 'dead', count: 'true', limit: '1' }),
      );
      setCount(page.count);
      if (page.count?.deliveries === 0) say('None of these deliveries is a dead letter.');
      return page.count !== undefined && page.count.deliveries > 0;
    } catch (error) {
      sayProblem(error);
      return false;
    }
  };
  const run = async (act: Act): Promise<void> => {
    try {
      const target = act === 'replay' && isRemoved ? { sendTo } : {};
      const change = await send<DeliveryChange>('POST', `/v1/deliveries/${act}`, { ...bodyOf(query, rate), ...target });
      if (change.id !== undefined && change.status !== 'running') say(endOf(change));
    } catch (error) {
      sayProblem(error);
    }
    askAgain(JOBS);
    onDone();
  };

  const found = isWaiting ? 'Everything that waits in this search' : foundText(count, destination);
  const number = isWaiting ? '' : ` ${formatCount(count?.deliveries ?? 0)}${count?.hasMore ? ' or more' : ''}`;
  return (
    <div class="strip sides line">
      {(!isWaiting || isRemoved) && (
        <ConfirmButton
          text={`Replay ${which}`}
          question={isRemoved ? `${found} will go to another destination.` : `${found} will be sent again.`}
          confirm={`Replay${number}`}
          cancel="Cancel"
          isHarmless
          isReady={hasTarget && isRate}
          prepare={find}
          onConfirm={() => run('replay')}
        >
          {isRemoved && <DestinationField label="Send to" value={sendTo} onPick={setSendTo} />}
          <label class="choice">
            <span class="hidden">At most a second</span>
            <input
              type="number"
              min="1"
              step="any"
              placeholder="A second: no limit"
              value={rate}
              onInput={({ currentTarget }) => {
                setRate(currentTarget.value);
                // A text that is not a number has no value, and would be treated as no limit.
                setIsRate(currentTarget.validity.valid);
              }}
            />
          </label>
        </ConfirmButton>
      )}
      <ConfirmButton
        text={`Discard ${which}`}
        question={`${found} will never reach a webhook. This cannot be undone.`}
        confirm={`Discard${number}`}
        prepare={find}
        onConfirm={() => run('discard')}
      />
    </div>
  );
}

/** Returns the filter in the form that a replay or discard takes. A filter that selects everything has to say so explicitly. */
function bodyOf({ phase, ...fields }: BulkProps['query'], rate: string): object {
  const filter = setOf(fields);
  const isNarrow = Object.keys(filter).some((name) => name !== 'destination' && name !== 'by');
  return {
    destination: 'all',
    ...filter,
    ...(!isNarrow && { all: true }),
    ...(rate !== '' && { rate: Number(rate) }),
    ...(phase === 'waiting' && { state: 'waiting' }),
  };
}

function foundText(count: DeliveryCount | undefined, destination: string | undefined): string {
  const { deliveries, hasMore } = count ?? { deliveries: 0 };
  const where = destination ? '' : ' at all destinations';
  return `${hasMore ? 'At least ' : ''}${plural(deliveries, 'dead letter')} of this search${where}`;
}
