import { type View, viewOf } from '../app.js';
import { attemptList } from './attempts.js';
import { drawn, hello, logs } from './feed.js';
import { messageList } from './messages.js';
import { batches, rejected } from './requests.js';
import type { Site } from './site.js';

/**
 * Makes the function that returns the live views. In a service the attempts have another name, because deliveries have their own
 * view there. The lists are made once, because a list whose columns are new draws all of its rows again.
 */
export function liveViewsOf(site: Site, isService: boolean): () => View[] {
  const messages = viewOf(messageList(isService), 'Messages', true);
  const attempts = isService
    ? viewOf(attemptList('attempts', site), 'Attempts', true)
    : viewOf(attemptList('deliveries', site), 'Deliveries', true);
  // A service sends its feed only while a live view is shown. Until then the count is unknown, so none is shown instead of 0.
  const counted = ({ total }: { total: number }): Pick<View, 'count'> =>
    isService && hello.value === undefined ? {} : { count: total };
  return () => {
    drawn.value;
    return [
      { ...messages, ...counted(logs.message) },
      { ...viewOf(rejected, 'Rejected', true), ...counted(logs.rejected), isAlarming: logs.rejected.total > 0 },
      { ...viewOf(batches, 'Batches', true), ...counted(logs.batch) },
      { ...attempts, ...counted(logs.delivery) },
    ];
  };
}
