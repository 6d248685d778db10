import type { DeliveryEntry } from '../../server/entry.js';
import { formatDuration, formatTime, sentence, withoutScheme } from '../format-values.js';
import { sayProblem } from '../service/api.js';
import { type Column, column } from '../ui/columns.js';
import { Button, Empty, Facts, Head } from '../ui/detail.js';
import { EndpointLine } from '../ui/endpoint-line.js';
import { Result } from '../ui/result.js';
import { copy, say } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { endpoints, hello, logs } from './feed.js';
import { Snippet } from './first-event.js';
import { LiveList } from './live-list.js';
import type { Site } from './site.js';

const TEXT = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'] as const;

const columns: readonly Column<DeliveryEntry>[] = [
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
];

function whatFollows({ outcome, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== undefined) return `again ${formatTime(nextAttemptAt).slice(0, 8)}`;
  return outcome === 'skipped' ? '' : outcome;
}

/** Lists the attempts to deliver, below the state of the webhooks. */
export function Attempts({ name, site }: { name: string; site: Site }) {
  const isForwarding = hello.value?.isForwarding ?? false;
  return (
    <>
      {endpoints.value.length > 0 && (
        <ul class="strip line" id="endpoints" aria-label="Webhooks">
          {endpoints.value.map((endpoint, index) => (
            // The age of the oldest due delivery is left out, because the feed rarely updates it. Masked URLs may be equal.
            <EndpointLine key={`${index} ${endpoint.url}`} endpoint={{ ...endpoint, oldestDue: undefined }} />
          ))}
        </ul>
      )}
      <LiveList
        name={name}
        label="Delivery attempts, newest first"
        detailLabel="Delivery"
        columns={columns}
        log={logs.delivery}
        detail={(entry, close) => <Attempt entry={entry} close={close} site={site} />}
        empty={isForwarding ? <NoneYet /> : <NothingForwarded />}
      />
    </>
  );
}

const NoneYet = () => (
  <Empty
    title="No deliveries yet"
    text="Each delivery attempt is one line, with the answer, the duration and the next step."
  />
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

/** Shows the outcome of an attempt and the reason for it, with a button that sends the message again. */
function Attempt({ entry, close, site }: { entry: DeliveryEntry; close(): void; site: Site }) {
  const { id, type, title, endpoint, attempt, outcome, result, durationMs, at, nextAttemptAt } = entry;
  const isMade = attempt > 0;
  const replay = (): unknown => site.replay(entry).then(say, sayProblem);
  return (
    <>
      <Head badge={result} look={outcome} title={title || type || id} onClose={close} />
      <p class="reason">{visible(sentence(entry.reason))}</p>
      <Facts
        of={[
          ['Destination', entry.destination ?? ''],
          ['Webhook', endpoint],
          ['Message id', id],
          ['Type', type],
          [isMade ? 'Sent' : 'Received', formatTime(at), at],
          ['Took', isMade ? formatDuration(durationMs) : ''],
          ['Attempt', isMade ? String(attempt) : ''],
          ['Next attempt', nextAttemptAt === undefined ? '' : formatTime(nextAttemptAt), nextAttemptAt],
        ]}
      />
      <div class="sides line">
        {site.canReplay(entry) && (
          <Button isChange look="quiet framed act" onClick={replay}>
            Replay
          </Button>
        )}
        <Button onClick={() => copy(id, 'Message id')}>Copy message id</Button>
      </div>
    </>
  );
}
