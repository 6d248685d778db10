import { computed, signal } from '@preact/signals';
import { decode, formatRoute, type PageView, parseRoute } from './page-route.js';

export const route = signal(parseRoute(location.hash));

/** The last route of each view, so that returning to a tab shows it as it was left. */
const left = new Map<string, PageView>();

/** The name of the open item in the view; empty if none is open. */
export const opened = computed(() => route.value.open);

export const queryOf = (name: string): string => route.value.query[name] ?? '';

// The address is also changed by Back, Forward and links.
addEventListener('popstate', () => {
  route.value = parseRoute(location.hash);
});

function show(to: PageView, isStep: boolean): void {
  const hash = formatRoute(to);
  if (hash === formatRoute(route.value)) return;
  left.set(route.value.view, route.value);
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  route.value = to;
}

/** Shows a view as it was left. If it is already shown, it is reset to its initial state. */
export function showView(view: string): void {
  const from = { view, open: '', query: {} };
  show(view === route.value.view ? { ...route.value, open: '' } : (left.get(view) ?? from), true);
}

/** Shows a view with an open item, as a step that Back undoes. */
export function go(view: string, open = '', query: Readonly<Record<string, string>> = {}): void {
  show({ view, open, query }, true);
}

/** Opens or closes an item of the view. Changing from one item to another adds no step to the history. */
export function open(key: string): void {
  const { open: before } = route.value;
  show({ ...route.value, open: key }, (before === '') !== (key === ''));
}

/** Changes filters, order or range, and returns to the first page of a list. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  show({ ...route.value, query: { ...route.value.query, after: '', ...changes } }, false);
}

/** Reads from the address the last row of each page before the one that is shown. */
export const passedPages = (): string[] => (queryOf('after') === '' ? [] : queryOf('after').split('/').map(decode));

/** Shows the page of a list that begins after `after`, as a step that Back undoes. */
export function turnPage(after: string): void {
  show({ ...route.value, query: { ...route.value.query, after } }, true);
}

/** Shows a view if the address names none. */
export function settleOn(view: string): void {
  show({ view, open: '', query: {} }, false);
}
