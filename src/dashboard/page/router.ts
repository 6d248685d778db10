import { computed, signal } from '@preact/signals';
import { formatRoute, parseRoute, type Route } from './route.js';

const current = signal(parseRoute(location.hash));

/** The route of each view when it was last shown, so that a tab comes back as it was left. */
const left = new Map<string, Route>();

/** What the page shows. */
export const route = current;

/** The open item of the view; empty when nothing is open. */
export const opened = computed(() => current.value.open);

export const queryOf = (name: string): string => current.value.query[name] ?? '';

/** The route again as the address has it, which Back and Forward have changed. */
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

/** Shows that of a view, as a step that Back undoes. */
export function go(view: string, open = '', query: Readonly<Record<string, string>> = {}): void {
  show({ view, open, query }, true);
}

/** Opens an item of the view, or closes it. From one item to another is no step of its own. */
export function open(key: string): void {
  const { open: before } = current.value;
  show({ ...current.value, open: key }, (before === '') !== (key === ''));
}

/** Changes filters, order or range, so that a list begins anew. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  show({ ...current.value, query: { ...current.value.query, after: '', ...changes } }, false);
}

/** Shows the page of a list that begins there, as a step that Back undoes. */
export function turnPage(after: string): void {
  show({ ...current.value, query: { ...current.value.query, after } }, true);
}

/** Puts a view in place of an address that names none. */
export function settleOn(view: string): void {
  show({ view, open: '', query: {} }, false);
}
