import { type View, viewOf } from '../app.js';
import { attempts } from './attempts.js';
import { drawn, hello, logs } from './feed.js';
import { messages } from './messages.js';
import { batches, rejected } from './requests.js';
import { isService } from './site.js';

/** The live views, each with the log that it shows. In a service `Deliveries` is the view of the stored ones. */
const VIEWS = [
  [viewOf(messages, 'Messages', true), logs.message],
  [viewOf(rejected, 'Rejected', true), logs.rejected],
  [viewOf(batches, 'Batches', true), logs.batch],
  [viewOf(attempts, isService ? 'Attempts' : 'Deliveries', true), logs.delivery],
] as const;

export function liveViews(): readonly View[] {
  drawn.value;
  // A service sends its feed only while a live view is shown. Until then the count is unknown, so none is shown instead of 0.
  const isCounted = !isService || hello.value !== undefined;
  return VIEWS.map(([view, log]) => ({
    ...view,
    ...(isCounted && { count: log.total }),
    isAlarming: log === logs.rejected && log.total > 0,
  }));
}
