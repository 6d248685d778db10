import { make, withAttributes } from '../dom.js';

/** A table under these headings, some of which end with their column. */
export function figures(headings: readonly string[], ending: readonly string[], body: HTMLElement): HTMLElement {
  const cells = headings.map((text) =>
    withAttributes(make('th', ending.includes(text) ? 'end' : '', text), { scope: 'col' }),
  );
  return make('table', 'figures', make('thead', '', make('tr', '', ...cells)), body);
}
