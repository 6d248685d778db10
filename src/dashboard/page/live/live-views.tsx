import type { View } from '../app.js';
import { Attempts, attemptList } from './attempts.js';
import { drawn, hello, logs } from './feed.js';
import { Messages } from './messages.js';
import { Batches, Rejected } from './requests.js';
import type { Site } from './site.js';

const isLive = true;

/** Returns the live views. In a service the attempts have another name, because deliveries have their own view there. */
export function liveViews(site: Site, isService: boolean): View[] {
  drawn.value;
  const { message, rejected, batch, delivery } = logs;
  // A service sends its feed only while a live view is shown. Until then the count is unknown, so none is shown instead of 0.
  const counted = (count: number): Pick<View, 'count'> => (isService && hello.value === undefined ? {} : { count });
  const attempts = isService ? { name: 'attempts', label: 'Attempts' } : { name: 'deliveries', label: 'Deliveries' };
  const isAlarming = rejected.total > 0;
  return [
    {
      name: 'messages',
      label: 'Messages',
      isLive,
      ...counted(message.total),
      show: () => <Messages isService={isService} />,
    },
    { name: 'rejected', label: 'Rejected', isLive, ...counted(rejected.total), isAlarming, show: () => <Rejected /> },
    { name: 'batches', label: 'Batches', isLive, ...counted(batch.total), show: () => <Batches /> },
    { ...attempts, isLive, ...counted(delivery.total), show: () => <Attempts of={attemptList(attempts.name, site)} /> },
  ];
}
