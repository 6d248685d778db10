import { formatCount } from '../../../base/text/plural.js';
import type { DeliveryPage } from '../../../service/api/delivery-answers.js';
import { formatDurationOrNone, formatMoment, withoutScheme } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import { go } from '../page-router.js';
import { Button, Figures, Section } from '../ui/detail.js';
import { Result } from '../ui/result.js';
import { Text } from '../ui/text.js';
import { withQuery } from './api.js';
import { lookOf } from './delivery-list.js';
import { keyOfDelivery, timeOf } from './delivery-pages.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const SHOWN = 20;
const HEADINGS = ['Last attempt', 'Answer', 'Event', 'Webhook', 'Took', 'Attempts'];

export function RecentDeliveries({ name }: { name: string }) {
  const path = withQuery('/v1/deliveries', { destination: name, limit: String(SHOWN) });
  const polled = useAnswer<DeliveryPage>(path);
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
            <Figures headings={HEADINGS} ending={['Took', 'Attempts']}>
              {deliveries.map((delivery) => (
                <tr key={keyOfDelivery(delivery)}>
                  <td title={timeOf(delivery)}>{formatMoment(timeOf(delivery), Date.now())}</td>
                  <td>
                    <span class={`badge ${lookOf(delivery)}`}>
                      {delivery.result === null ? 'not tried' : <Result of={delivery.result} />}
                    </span>
                  </td>
                  <th scope="row">
                    <a href={formatRoute({ view: 'deliveries', open: keyOfDelivery(delivery), query: {} })}>
                      <Text value={`${delivery.event ?? delivery.type} · ${delivery.id}`} />
                    </a>
                  </th>
                  <td>
                    <Text value={withoutScheme(delivery.webhook.url)} />
                  </td>
                  <td class="end">{formatDurationOrNone(delivery.durationMs)}</td>
                  <td class="end">{formatCount(delivery.attempts)}</td>
                </tr>
              ))}
            </Figures>
          )
        }
      </Answer>
    </Section>
  );
}
