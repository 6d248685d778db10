import type { State } from './connection.js';
import { byId, setText } from './dom.js';

const TEXTS: Readonly<Record<State, string>> = { connecting: 'Connecting', live: 'Live', lost: 'Reconnecting' };

/** Shows at the top how the server can be reached; `none` shows nothing. */
export function showState(state: State | 'none', text = state === 'none' ? '' : TEXTS[state]): void {
  byId('status', HTMLElement).dataset['state'] = state;
  setText(byId('status-text', HTMLElement), text);
}
