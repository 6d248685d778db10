import { useEffect, useRef } from 'preact/hooks';
import { Top, type View, Views, viewOf } from '../app.js';
import { feedState, listen, listenOnlyInSight } from '../live/feed.js';
import { liveViews } from '../live/live-views.js';
import { RateChart } from '../live/rate-chart.js';
import { queryOf, route, settleOn } from '../page-router.js';
import { Button, whyUnchangeable } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { onSignedOut, sayProblem } from './api.js';
import { audiences, traits } from './audiences.js';
import { changes } from './changes.js';
import { deletions } from './deletions.js';
import { deliveries } from './deliveries.js';
import { Destinations } from './destinations.js';
import { viewState, viewTrouble } from './panel.js';
import { findSession, leaveForNow, SignIn, session, sessionProblem, signOut } from './sign-in.js';
import { sources } from './sources.js';
import { StatusLine, Troubles, troublesOf, useStatus } from './status-line.js';

/** The title of the page while there is no problem. */
const TITLE = document.title;

const held: readonly View[] = [
  { name: 'destinations', label: 'Destinations', isLive: false, show: () => <Destinations /> },
  viewOf(deliveries, 'Deliveries'),
  viewOf(sources, 'Sources'),
  viewOf(audiences, 'Audiences'),
  viewOf(traits, 'Traits'),
  viewOf(deletions, 'Deletions'),
  viewOf(changes, 'Changes'),
];

export function startService(): void {
  onSignedOut(leaveForNow);
  listenOnlyInSight();
  void findSession();
}

/** The page of `eventferry serve`. It asks for the token, and then shows the service. */
export function Service() {
  const asked = useRef(false);
  asked.current ||= session.value === 'none';
  if (session.value === 'begun') return <SignedIn isAsked={asked.current} />;
  return (
    <>
      <Top state={sessionProblem.value === '' ? undefined : 'lost'} says={sessionProblem.value} />
      <main id="main">{session.value !== 'asked' && <SignIn />}</main>
    </>
  );
}

function SignedIn({ isAsked }: { isAsked: boolean }) {
  const status = useStatus();
  const views = [...held, ...liveViews()];
  const shown = views.find(({ name }) => name === route.value.view);
  const source = queryOf('source');
  const connection = shown?.isLive ? feedState.value : viewState.value;
  const troubles = status === undefined ? [] : troublesOf(status, Date.now());
  // While the service cannot be reached, an earlier problem may already be over.
  const trouble = connection === 'lost' ? undefined : troubles[0]?.title;
  const says = trouble ?? (shown?.isLive || connection === 'lost' ? '' : viewTrouble.value);
  useEffect(() => {
    if (shown === undefined) settleOn('destinations');
    // The page does not connect earlier, because the service records events while a page is connected.
    else if (shown.isLive) listen(source);
  }, [shown?.name, source]);
  useEffect(() => {
    document.title = says === '' ? TITLE : `${visible(says)} – ${TITLE}`;
  }, [says]);
  useEffect(() => {
    // The form had the focus but has been removed, so the open tab gets the focus.
    if (isAsked) document.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
  }, [isAsked]);
  return (
    <>
      <Top state={trouble === undefined ? connection : 'lost'} says={trouble ?? ''}>
        {shown?.isLive && <RateChart />}
        {whyUnchangeable.value !== '' && (
          <p class="note" title={whyUnchangeable.value}>
            Read-only
          </p>
        )}
        <Button id="sign-out" onClick={() => signOut().catch(sayProblem)}>
          Sign out
        </Button>
      </Top>
      <Troubles of={troubles} />
      <Views views={views} />
      <StatusLine status={status} />
    </>
  );
}
