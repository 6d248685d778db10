import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeliveryJob } from '../../../service/api/delivery-answers.js';
import { Button, Progress } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { change } from './api.js';
import { useAnswer } from './poll.js';

const DONE = { replay: 'replayed', discard: 'discarded' } as const;
const ASK_MS = 2_000;
/** How long a job is shown after its end, in ms. */
const ENDED_MS = 10 * 60_000;

/** Shows the running replays and discards and, collapsed, those that ended recently, whoever began them. */
export function Jobs() {
  const { value: jobs = [] } = useAnswer('GET /v1/jobs', { limit: '5' }, ASK_MS);
  const since = Date.now() - ENDED_MS;
  const running = jobs.filter(({ endedAt }) => endedAt === null);
  const ended = jobs.filter(({ endedAt }) => endedAt !== null && Date.parse(endedAt) > since);
  return (
    <>
      {running.length > 0 && (
        <ul aria-label="Replays and discards">
          {running.map((job) => (
            <li class="strip bar apart" key={job.id}>
              <Running job={job} />
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details class="strip">
          <summary>{plural(ended.length, 'job')} finished lately</summary>
          {ended.map((job) => (
            <p key={job.id}>{endOf(job)}</p>
          ))}
        </details>
      )}
    </>
  );
}

const Running = ({ job }: { job: DeliveryJob }) => (
  <>
    <Progress label="Progress" done={job.deliveries} of={job.meant ?? undefined}>
      <span role="status">{progressOf(job)}</span>
    </Progress>
    <Button isChange onClick={() => change('DELETE /v1/jobs/:id', undefined, { id: job.id })}>
      Stop
    </Button>
  </>
);

const placeOf = ({ destination }: DeliveryJob): string =>
  destination === null ? 'all destinations' : visible(destination);

/** Writes `CRM: 20,000 of 90,000 replayed`. */
function progressOf(job: DeliveryJob): string {
  const { act, deliveries, meant, rate } = job;
  const of = meant === null ? '' : ` of ${formatCount(meant)}`;
  const pace = rate === null ? '' : `, ${formatCount(rate)} a second`;
  return `${placeOf(job)}: ${formatCount(deliveries)}${of} ${DONE[act]}${skippedText(job)}${pace}`;
}

/** Writes `CRM: 20,000 deliveries replayed, then stopped`. */
export function endOf(job: DeliveryJob): string {
  const { act, deliveries, status, error } = job;
  const stopped = status === 'stopped' ? ', then stopped' : '';
  const why = error === null ? '' : `. ${visible(error)}`;
  return `${placeOf(job)}: ${plural(deliveries, 'delivery')} ${DONE[act]}${skippedText(job)}${stopped}${why}`;
}

/** Writes `, 3 skipped, as their webhook is no longer configured`. */
function skippedText({ skipped }: DeliveryJob): string {
  const texts = [
    [skipped['webhook-removed'], 'skipped, as their webhook is no longer configured'],
    [skipped['sent-already'], 'skipped, as their webhook has the event or waits for it'],
  ] as const;
  return texts.map(([count, text]) => (count === 0 ? '' : `, ${formatCount(count)} ${text}`)).join('');
}
