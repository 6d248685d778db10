import type { DestinationReport } from '../../../service/api/answers.js';
import { make } from '../dom.js';
import { KeyedList } from '../keyed-list.js';
import { get } from './api.js';
import { destinationCard } from './destination-card.js';
import { emptyState } from './table.js';
import type { View } from './view.js';

const ABOUT = 'Waiting and dead letters are totals. Delivered, given up and attempts count since this process started.';

/** Who is sent to, how each webhook is, and the switch of each destination. */
export function destinationsView(openDeadLetters: (destination: string) => void): View {
  const list = make('ul', 'cards');
  list.setAttribute('aria-label', 'Destinations');
  const empty = emptyState('No destinations', 'The configuration lists where messages go, under destinations.');
  const cards = new KeyedList<DestinationReport>(
    list,
    ({ name }) => name,
    ({ name }) => destinationCard(name, () => openDeadLetters(name)),
  );
  return {
    name: 'destinations',
    label: 'Destinations',
    body: make('div', 'view', make('p', 'lead', ABOUT), make('div', 'scrolled', list, empty)),
    async refresh(signal) {
      const destinations = await get<DestinationReport[]>('/v1/destinations', signal);
      cards.show(destinations);
      list.hidden = destinations.length === 0;
      empty.hidden = destinations.length > 0;
    },
  };
}
