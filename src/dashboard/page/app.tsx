import type { ComponentChildren, JSX } from 'preact';
import { formatCount } from '../../base/text/plural.js';
import { type ConnectionState, forget, heldMessages, isPaused, pause, resume } from './live/feed.js';
import { site } from './live/site.js';
import { route, showView } from './page-router.js';
import { sayProblem } from './service/api.js';
import { Button } from './ui/detail.js';
import type { PageList } from './ui/list.js';
import { Listing } from './ui/listing.js';
import { type Tab, Tabs } from './ui/tabs.js';
import { Toast } from './ui/toast.js';

export interface View extends Tab {
  /** True for a view that shows events as they happen and can be paused. */
  readonly isLive: boolean;
  show(): JSX.Element;
}

/** Makes the view of a list. */
export const viewOf = <T,>(list: PageList<T>, label: string, isLive = false): View => ({
  ...{ name: list.name, label, isLive },
  show: () => <Listing of={list} />,
});

const TEXTS: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Reconnecting',
};

/** The bar at the top. Without a `state` it shows nothing about the server. */
export const Top = (props: { state?: ConnectionState | undefined; says?: string; children?: ComponentChildren }) => (
  <header class="top bar">
    <div class="bar">
      <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M5 12.5h14l-2.2 4H7.2zM8 12V8.5h5l2.5 3.5M4 19.5c1.3 0 1.3-1 2.7-1s1.3 1 2.6 1 1.4-1 2.7-1 1.3 1 2.7 1 1.3-1 2.6-1 1.4 1 2.7 1" />
      </svg>
      <h1>eventferry</h1>
    </div>
    <p class="status note" id="status" role="status" data-state={props.state}>
      {props.state && (props.says || TEXTS[props.state])}
    </p>
    {props.children}
  </header>
);

/** Shows the tabs, and the view of the chosen one. */
export function Views({ views }: { views: readonly View[] }) {
  const shown = views.find(({ name }) => name === route.value.view) ?? views[0];
  if (shown === undefined) return null;
  return (
    <>
      <nav class="tabs bar apart" id="tabs" aria-label="Views">
        <Tabs tabs={views} shown={shown.name} onShow={showView} />
        {shown.isLive && <Tools />}
      </nav>
      <main id="main">
        <section role="tabpanel" key={shown.name} id={`panel-${shown.name}`} aria-labelledby={`tab-${shown.name}`}>
          {shown.show()}
        </section>
      </main>
      <Toast />
    </>
  );
}

/** Buttons that pause or clear the lists. */
function Tools() {
  const waiting = heldMessages.value;
  const text = waiting === 0 ? 'Paused' : `${formatCount(waiting)} new`;
  const toggle = (): void => {
    if (isPaused.value) resume();
    else pause();
    // A list that is scrolled down would be paused again.
    if (!isPaused.value) document.querySelector('.list')?.scrollTo(0, 0);
  };
  const clear = (): void => {
    forget();
    site.clear().catch(sayProblem);
  };
  return (
    <div class="tools bar" id="tools">
      <Button id="pause" look="quiet" aria-pressed={isPaused.value} onClick={toggle}>
        {isPaused.value ? text : 'Pause'}
      </Button>
      <Button id="clear" look="quiet" onClick={clear}>
        Clear
      </Button>
    </div>
  );
}
