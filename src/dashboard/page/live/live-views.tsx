import type { View } from '../app.js';
import { Attempts } from './attempts.js';
import { drawn, logs } from './feed.js';
import { Messages } from './messages.js';
import { Batches, Rejected } from './requests.js';
import type { Site } from './site.js';

const isLive = true;

/** The views of what happens. The attempts have another name where the deliveries have a view of their own. */
export function liveViews(site: Site, isService: boolean): View[] {
  drawn.value;
  const { message, rejected, batch, delivery } = logs;
  const attempts = isService ? { name: 'attempts', label: 'Attempts' } : { name: 'deliveries', label: 'Deliveries' };
  const isAlarming = rejected.total > 0;
  return [
    {
      name: 'messages',
      label: 'Messages',
      isLive,
      count: message.total,
      show: () => <Messages isService={isService} />,
    },
    { name: 'rejected', label: 'Rejected', isLive, count: rejected.total, isAlarming, show: () => <Rejected /> },
    { name: 'batches', label: 'Batches', isLive, count: batch.total, show: () => <Batches /> },
    { ...attempts, isLive, count: delivery.total, show: () => <Attempts name={attempts.name} site={site} /> },
  ];
}
