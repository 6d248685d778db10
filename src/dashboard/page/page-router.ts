import { computed, signal } from '@preact/signals';
import { decode, formatRoute, parseRoute, type Route } from './page-route.js';

const current = signal(parseRoute(location.hash));

/** Keeps the route of each view when it was last shown, so that a tab comes back as it was left. */
const left = new Map<string, Route>();

export const route = current;

/** Names the open item of the view; empty when none is open. */
export const opened = computed(() => current.value.open);

export const queryOf = (name: string): string => current.value.query[name] ?? '';

// Back and Forward change the address, and a link too.
addEventListener('popstate', () => {
  current.value = parseRoute(location.hash);
});
addEventListener('hashchange', () => {
  current.value = parseRoute(location.hash);
});

function show(to: Route, isStep: boolean): void {
  const hash = formatRoute(to);
  if (hash === formatRoute(current.value)) return;
  left.set(current.value.view, current.value);
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  current.value = to;
}

/** Shows a view as it was left, or from its start when it is shown already. */
export function showView(view: string): void {
  const from = { view, open: '', query: {} };
  show(view === current.value.view ? { ...current.value, open: '' } : (left.get(view) ?? from), true);
}

/** Goes to a view and an item in it, as a step that Back undoes. */
export function go(view: string, open = '', query: Readonly<Record<string, string>> = {}): void {
  show({ view, open, query }, true);
}

/** Opens an item of the view, or closes it. Going from one item to another is no step of its own. */
export function open(key: string): void {
  const { open: before } = current.value;
  show({ ...current.value, open: key }, (before === '') !== (key === ''));
}

/** Changes filters, order or range. A list then begins anew. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  show({ ...current.value, query: { ...current.value.query, after: '', ...changes } }, false);
}

/** Reads from the address the last row of each page before the one that is shown. */
export const passedPages = (): string[] => (queryOf('after') === '' ? [] : queryOf('after').split('/').map(decode));

/** Shows the page of a list that begins behind `after`, as a step that Back undoes. */
export function turnPage(after: string): void {
  show({ ...current.value, query: { ...current.value.query, after } }, true);
}

/** Shows a view where the address names none. */
export function settleOn(view: string): void {
  show({ view, open: '', query: {} }, false);
}
