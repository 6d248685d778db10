import { formatCount } from '../../../base/text/plural.js';
import type { DeliveryErrorReport } from '../../../service/api/history-answers.js';
import { formatMoment, withoutScheme } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import { column, Table } from '../ui/columns.js';
import { Section } from '../ui/detail.js';
import { Result } from '../ui/result.js';
import { Text } from '../ui/text.js';
import { keyOfDelivery } from './delivery-keys.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const keyOf = ({ webhook, result }: DeliveryErrorReport): string => `${result} ${webhook.id ?? webhook.url}`;

/** Returns the columns of a destination's errors, with a link from each to its latest event. */
const columnsOf = (destination: string) => [
  column<DeliveryErrorReport>('', 'Answer', ['220px'], () => '', {
    isName: true,
    draw: ({ result }) => (
      <span class="badge bad">
        <Result of={result} />
      </span>
    ),
  }),
  column<DeliveryErrorReport>('', 'Latest event', [], ({ example }) => example.id, {
    draw: ({ example, webhook }) => (
      <a
        href={formatRoute({ view: 'deliveries', open: keyOfDelivery({ ...example, destination, webhook }), query: {} })}
      >
        <Text value={example.id} />
      </a>
    ),
  }),
  column<DeliveryErrorReport>('end', 'Attempts', ['110px'], ({ count }) => formatCount(count)),
  column<DeliveryErrorReport>('end', 'Last time', ['130px'], ({ lastAt }) => formatMoment(lastAt, Date.now()), {
    title: ({ lastAt }) => lastAt,
  }),
  column<DeliveryErrorReport>('end', 'First time', ['130px'], ({ firstAt }) => formatMoment(firstAt, Date.now()), {
    title: ({ firstAt }) => firstAt,
  }),
  column<DeliveryErrorReport>('', 'Webhook', [], ({ webhook }) => withoutScheme(webhook.url)),
];

/** Lists how the attempts at a destination failed in the last week, the latest first. */
export function DestinationErrors({ name }: { name: string }) {
  const polled = useAnswer('GET /v1/destinations/:name/errors', { name });
  return (
    <Section title="Errors of the last week">
      <Answer of={polled}>
        {(errors) =>
          errors.length === 0 ? (
            <p class="note">No attempt has failed.</p>
          ) : (
            <Table look="figures" columns={columnsOf(name)} items={errors} keyOf={keyOf} />
          )
        }
      </Answer>
    </Section>
  );
}
