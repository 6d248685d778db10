import type { DeliveryEntry } from '../../server/entry.js';
import { formatDuration, formatTime, sentence, withoutScheme } from '../format-values.js';
import { sayProblem } from '../service/api.js';
import { column } from '../ui/columns.js';
import { Empty } from '../ui/detail.js';
import { EndpointLine } from '../ui/endpoint-line.js';
import type { PageList } from '../ui/list.js';
import { Result } from '../ui/result.js';
import { copy, say } from '../ui/toast.js';
import { endpoints, hello, logs } from './feed.js';
import { Snippet } from './first-event.js';
import { keyOfEntry, useEntries } from './live-list.js';
import { isService, site } from './site.js';

const TEXT = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'] as const;

function whatFollows({ outcome, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== undefined) return `again ${formatTime(nextAttemptAt).slice(0, 8)}`;
  return outcome === 'skipped' ? '' : outcome;
}

/** The attempts to deliver. In a service the list has another name, because deliveries have their own view there. */
export const attempts: PageList<DeliveryEntry> = {
  name: isService ? 'attempts' : 'deliveries',
  ...{ label: 'Delivery attempts, newest first', noun: 'Delivery', keyOf: keyOfEntry },
  none: ['No deliveries yet', 'Each delivery attempt is one line, with the answer, the duration and the next step.'],
  useRows: () => ({
    ...useEntries(logs.delivery),
    above: endpoints.value.length > 0 && <Webhooks />,
    none: hello.value?.isForwarding ? undefined : <NothingForwarded />,
  }),
  columns: [
    column('time mono', 'Time', ['92px'], ({ at }) => formatTime(at)),
    column('badge', 'Answer', ['minmax(116px, 1fr)'], ({ result }) => result, {
      draw: ({ attempt, result }) => attempt > 0 && <Result of={result} />,
      look: ({ outcome }) => outcome,
    }),
    column('title', 'Event or name', TEXT, ({ title, type, id }) => title || type || id),
    column('user mono', 'Webhook', TEXT, ({ endpoint }) => withoutScheme(endpoint)),
    column('number end', 'Attempt', ['54px', ''], ({ attempt }) => (attempt === 0 ? '' : String(attempt))),
    column('number end', 'Took', ['60px', ''], ({ attempt, durationMs }) =>
      attempt === 0 ? '' : formatDuration(durationMs),
    ),
    column('size end', 'Next', ['108px'], whatFollows),
  ],
  useDetail(entry) {
    const { id, type, title, attempt, outcome, result, durationMs, at, nextAttemptAt } = entry;
    const isMade = attempt > 0;
    const replay = { text: 'Replay', isChange: true, act: () => site.replay(entry).then(say, sayProblem) };
    return {
      ...{ badge: result, look: outcome, title: title || type || id, reason: sentence(entry.reason) },
      facts: [
        ['Destination', entry.destination ?? ''],
        ['Webhook', entry.endpoint],
        ['Message id', id],
        ['Type', type],
        [isMade ? 'Sent' : 'Received', formatTime(at), at],
        ['Took', isMade ? formatDuration(durationMs) : ''],
        ['Attempt', isMade ? String(attempt) : ''],
        ['Next attempt', nextAttemptAt === undefined ? '' : formatTime(nextAttemptAt), nextAttemptAt],
      ],
      acts: [
        ...(site.canReplay(entry) ? [replay] : []),
        { text: 'Copy message id', act: () => copy(id, 'Message id') },
      ],
    };
  },
};

/** Shows the state of the webhooks. */
const Webhooks = () => (
  <ul class="strip line" id="endpoints" aria-label="Webhooks">
    {endpoints.value.map((endpoint, index) => (
      // The age of the oldest due delivery is left out, because the feed rarely updates it. Masked URLs may be equal.
      <EndpointLine key={`${index} ${endpoint.url}`} endpoint={{ ...endpoint, oldestDue: undefined }} />
    ))}
  </ul>
);

const NothingForwarded = () => (
  <Empty title="Nothing is forwarded">
    <p>Start with a webhook to see each delivery attempt here. The first of these commands receives the deliveries.</p>
    <Snippet
      id="snippet-webhook"
      what="Commands"
      text={'npx eventferry listen --secret shhh\nnpx eventferry dev --webhook http://127.0.0.1:4200 --secret shhh'}
    />
  </Empty>
);
