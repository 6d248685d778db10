import { formatCount } from '../../../base/text/plural.js';
import type { DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatDurationOrNone, formatMoment, withoutScheme } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import { go } from '../page-router.js';
import { column, Table } from '../ui/columns.js';
import { Button, Section } from '../ui/detail.js';
import { Result } from '../ui/result.js';
import { Text } from '../ui/text.js';
import { lookOf } from './delivery-list.js';
import { keyOfDelivery, timeOf } from './delivery-pages.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const columns = [
  column<DeliveryReport>('', 'Last attempt', ['130px'], (each) => formatMoment(timeOf(each), Date.now()), {
    title: timeOf,
  }),
  column<DeliveryReport>('', 'Answer', ['130px'], () => '', {
    draw: (delivery) => (
      <span class={`badge ${lookOf(delivery)}`}>
        {delivery.result === null ? 'not tried' : <Result of={delivery.result} />}
      </span>
    ),
  }),
  column<DeliveryReport>('', 'Event', [], ({ event, type, id }) => `${event ?? type} · ${id}`, {
    isName: true,
    draw: (delivery) => (
      <a href={formatRoute({ view: 'deliveries', open: keyOfDelivery(delivery), query: {} })}>
        <Text value={`${delivery.event ?? delivery.type} · ${delivery.id}`} />
      </a>
    ),
  }),
  column<DeliveryReport>('', 'Webhook', [], ({ webhook }) => withoutScheme(webhook.url)),
  column<DeliveryReport>('end', 'Took', ['130px'], ({ durationMs }) => formatDurationOrNone(durationMs)),
  column<DeliveryReport>('end', 'Attempts', ['130px'], ({ attempts }) => formatCount(attempts)),
];

export function RecentDeliveries({ name }: { name: string }) {
  const polled = useAnswer('GET /v1/deliveries', { destination: name, limit: '20' });
  return (
    <Section
      title="Recent deliveries"
      beside={
        <Button look="link" onClick={() => go('deliveries', '', { destination: name })}>
          Search all of them
        </Button>
      }
    >
      <Answer of={polled}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p class="note">Nothing was sent of late, and nothing waits. Send a test event to try it.</p>
          ) : (
            <Table look="figures" columns={columns} items={deliveries} keyOf={keyOfDelivery} />
          )
        }
      </Answer>
    </Section>
  );
}
