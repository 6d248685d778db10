import type { State } from '../connection.js';
import { byId, make, setText, withAttributes } from '../dom.js';
import { draw, startLive } from '../live.js';
import { showState } from '../status.js';
import { startTabs } from '../tabs.js';
import { onSignedOut, problemOf, sayProblem } from './api.js';
import { audiencesView } from './audiences.js';
import { DeadLettersView } from './dead-letters.js';
import { deletionsView } from './deletions.js';
import { destinationsView } from './destinations.js';
import { type Poll, startPoll } from './poll.js';
import { leave, signIn, signOut } from './sign-in.js';
import { serviceSite } from './site.js';
import { sourcesView } from './sources.js';
import { StatusLine } from './status-line.js';
import type { View } from './view.js';

const VIEW_MS = 2_000;
const STATUS_MS = 10_000;

/** The page of `serve`: the sign-in, then the views of the service and the live feed. */
export async function startService(): Promise<void> {
  document.body.classList.add('signed-out');
  showServiceTexts();
  const isAsked = await signIn();
  onSignedOut(() => leave('#session-over'));
  document.body.classList.remove('signed-out');
  startSignOut();
  startStatus();
  startViews();
  // The form had the focus.
  if (isAsked) document.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
}

/** Hides the features of `dev`, and replaces its texts. */
function showServiceTexts(): void {
  for (const id of ['compose', 'compose-says', 'snippet-box']) byId(id, HTMLElement).hidden = true;
  const says = byId('snippet-says', HTMLElement);
  setText(says, 'Messages appear here as they arrive. The service records them only while this view is open.');
  byId('sign-out', HTMLElement).hidden = false;
}

function startSignOut(): void {
  byId('sign-out', HTMLElement).addEventListener('click', () => {
    signOut().catch(sayProblem);
  });
}

function startStatus(): void {
  const line = new StatusLine();
  byId('tabs', HTMLElement).before(line.problem);
  document.body.append(line.element);
  startPoll({ everyMs: STATUS_MS, ask: (signal) => line.refresh(signal) });
}

function startViews(): void {
  const deadLetters = new DeadLettersView();
  const views = [
    sourcesView(),
    destinationsView((destination) => {
      deadLetters.choose(destination);
      show('dead-letters');
    }),
    audiencesView(),
    deletionsView(),
    deadLetters,
  ];
  const panels = new Map(views.map((view) => [view.name, addPanel(view)]));
  const live = new LiveFeed();
  let poll: Poll | undefined;
  const show = startTabs((name) => {
    history.replaceState(null, '', `#${name}`);
    poll?.stop();
    poll = undefined;
    const panel = panels.get(name);
    document.body.classList.toggle('at-rest', panel !== undefined);
    live.toggle(panel === undefined);
    if (panel === undefined) draw();
    else poll = pollView(panel);
  });
  show(location.hash.slice(1));
}

interface Panel {
  readonly view: View;
  readonly panel: HTMLElement;
  /** Where it says what went wrong. */
  readonly problem: HTMLElement;
}

/** Adds a tab and a panel for the view, before those of the feed. */
function addPanel(view: View): Panel {
  const { name, label, body } = view;
  const tab = withAttributes(make('button', '', label), {
    type: 'button',
    id: `tab-${name}`,
    role: 'tab',
    'aria-controls': `panel-${name}`,
  });
  byId('tab-messages', HTMLElement).before(tab);
  const problem = withAttributes(make('p', 'problem'), { role: 'status' });
  const panel = withAttributes(make('section', 'admin', problem, body), {
    id: `panel-${name}`,
    role: 'tabpanel',
    'aria-labelledby': tab.id,
  });
  byId('main', HTMLElement).append(panel);
  return { view, panel, problem };
}

function pollView({ view, panel, problem }: Panel): Poll {
  panel.setAttribute('aria-busy', 'true');
  const settle = (state: State, text: string): void => {
    panel.setAttribute('aria-busy', 'false');
    showState(state);
    setText(problem, text);
  };
  return startPoll({
    everyMs: VIEW_MS,
    ask: (signal) => view.refresh(signal),
    onDone: () => settle('live', ''),
    onProblem: (error) => settle('lost', `${problemOf(error)} Trying again.`),
  });
}

/** Connects when a live view first opens, and only while the page is visible: the service records that long. */
class LiveFeed {
  #connection: ReturnType<typeof startLive> | undefined;
  #state: State = 'connecting';
  #isShown = false;

  toggle(isShown: boolean): void {
    this.#isShown = isShown;
    if (!isShown) return;
    if (this.#connection === undefined) this.#start();
    showState(this.#state);
  }

  #start(): void {
    const connection = startLive(serviceSite, (state) => {
      this.#state = state;
      if (this.#isShown) showState(state);
    });
    this.#connection = connection;
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) connection.close();
      else connection.open();
    });
  }
}
