import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import { withoutEmpty } from '../page-route.js';
import { ConfirmButton, type Found } from '../ui/confirm-button.js';
import { say } from '../ui/toast.js';
import { get, sayProblem, send } from './api.js';
import { DestinationField } from './destination-field.js';
import { endOf } from './jobs.js';
import { useAnswer } from './poll.js';

interface BulkProps {
  /** The filter as the service takes it. */
  readonly query: Readonly<Record<string, string>>;
}

/** The interval in ms at which the page checks whether the destination was removed. */
const ASK_MS = 15_000;

/** Replays or discards the deliveries that match a filter, after showing their number and asking for confirmation. */
export function Bulk({ query }: BulkProps) {
  const { destination: name } = query;
  const { value: report } = useAnswer('GET /v1/destinations/:name', name ? { name } : undefined, ASK_MS);
  const isRemoved = report?.state === 'removed';
  const isWaiting = query['phase'] === 'waiting';
  // Other lists contain deliveries that have ended, or that wait at several destinations.
  if (query['phase'] !== 'dead' && !(isWaiting && name)) return null;
  const which = isWaiting ? 'what waits' : 'dead letters';
  return (
    <div class="strip line">
      {(!isWaiting || isRemoved) && <Replay {...{ query, isRemoved, which }} />}
      <ConfirmButton
        text={`Discard ${which}`}
        question="will never reach a webhook. This cannot be undone."
        prepare={() => foundBy(query, 'Discard')}
        onConfirm={() => run('discard', bodyOf(query))}
      />
    </div>
  );
}

interface ReplayProps extends BulkProps {
  /** True if the destination is no longer configured, so that a replay needs another one. */
  readonly isRemoved: boolean;
  readonly which: string;
}

function Replay({ query, isRemoved, which }: ReplayProps) {
  const [rate, setRate] = useState('');
  const [isRate, setIsRate] = useState(true);
  const [sendTo, setSendTo] = useState('');
  const more = { ...(rate !== '' && { rate: Number(rate) }), ...(isRemoved && { sendTo }) };
  return (
    <ConfirmButton
      text={`Replay ${which}`}
      question={isRemoved ? 'will go to another destination.' : 'will be sent again.'}
      cancel="Cancel"
      isHarmless
      isReady={isRate && (!isRemoved || sendTo !== '')}
      prepare={() => foundBy(query, 'Replay')}
      onConfirm={() => run('replay', { ...bodyOf(query), ...more })}
    >
      {isRemoved && <DestinationField label="Send to" value={sendTo} onPick={setSendTo} />}
      <label class="bar">
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
  );
}

/** Counts the dead letters that match a filter; undefined if there are none, or they could not be counted. */
async function foundBy(query: BulkProps['query'], act: string): Promise<Found | undefined> {
  if (query['phase'] === 'waiting') return { what: 'Everything that waits in this search', confirm: act };
  try {
    const { count } = await get('GET /v1/deliveries', { ...query, count: 'true', limit: '1' });
    if (count === undefined) return undefined;
    const { deliveries, hasMore } = count;
    if (deliveries === 0) say('None of these deliveries is a dead letter.');
    const where = query['destination'] ? '' : ' at all destinations';
    const what = `${hasMore ? 'At least ' : ''}${plural(deliveries, 'dead letter')} of this search${where}`;
    const confirm = `${act} ${formatCount(deliveries)}${hasMore ? ' or more' : ''}`;
    return deliveries === 0 ? undefined : { what, confirm };
  } catch (error) {
    sayProblem(error);
    return undefined;
  }
}

async function run(act: 'replay' | 'discard', body: object): Promise<void> {
  try {
    const change = await send(`POST /v1/deliveries/${act}`, body);
    if (change.id !== undefined && change.status !== 'running') say(endOf(change));
  } catch (error) {
    sayProblem(error);
  }
}

/** Returns the filter in the form that a replay or discard takes. A filter that selects everything has to say so explicitly. */
function bodyOf({ phase, ...fields }: BulkProps['query']): object {
  const filter = withoutEmpty(fields);
  const isNarrow = Object.keys(filter).some((name) => name !== 'destination' && name !== 'by');
  return {
    destination: 'all',
    ...filter,
    ...(!isNarrow && { all: true }),
    ...(phase === 'waiting' && { state: 'waiting' }),
  };
}
