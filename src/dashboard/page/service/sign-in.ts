import type { SessionState } from '../../../service/api/answers.js';
import { byId, make, setText, withAttributes } from '../dom.js';
import { showState } from '../status.js';
import { get, problemOf, send } from './api.js';

/** In the address for one load of the page, which then gives the reason for the sign-in. */
const REASONS: Readonly<Record<string, string>> = {
  '#signed-out': 'Signed out. This page keeps nothing.',
  '#session-over': 'The session has ended. Sign in again.',
};

const AGAIN_AFTER_MS = 2_000;

/** Resolves after the sign-in, with whether it asked for the token. */
export async function signIn(): Promise<boolean> {
  const reason = REASONS[location.hash];
  if (reason !== undefined) history.replaceState(null, '', location.pathname);
  const session = await askForSession();
  // A page that says that the session has ended must ask again, whatever the answer.
  if (session.signedIn && reason === undefined) return false;
  if (session.enabled) await askForToken(reason ?? '');
  else await showDisabled();
  return true;
}

/**
 * Reloads the page, which is the surest way to drop its data.
 *
 * @throws ApiError when the service did not end the session
 */
export async function signOut(): Promise<void> {
  await send('DELETE', '/v1/session');
  leave('#signed-out');
}

export function leave(reason: '#signed-out' | '#session-over'): void {
  history.replaceState(null, '', reason);
  location.reload();
}

async function askForSession(): Promise<SessionState> {
  for (;;) {
    try {
      return await get<SessionState>('/v1/session');
    } catch (error) {
      showState('lost', problemOf(error));
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}

function askForToken(reason: string): Promise<void> {
  const says = withAttributes(make('p', 'says'), { id: 'sign-in-says', role: 'status' });
  const token = withAttributes(make('input', ''), {
    type: 'password',
    id: 'token',
    required: '',
    autocomplete: 'current-password',
    'aria-describedby': says.id,
  });
  const submit = make('button', 'primary', 'Sign in');
  const form = make(
    'form',
    'sign-in',
    make('h2', '', 'Sign in'),
    make('p', 'aside', 'Enter the admin token from the configuration of the service.'),
    make('label', '', 'Admin token', token),
    says,
    submit,
  );
  form.noValidate = true;
  const place = showAlone(form);
  setText(says, reason);
  token.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      const problem = await open(token.value);
      submit.disabled = false;
      token.value = '';
      if (problem === undefined) {
        place.remove();
        resolve();
        return;
      }
      says.className = 'says bad';
      setText(says, problem);
      token.setAttribute('aria-invalid', 'true');
      token.focus();
    });
  });
}

/** Returns the problem, if the service opened no session. */
async function open(token: string): Promise<string | undefined> {
  if (token === '') return 'Enter the token.';
  try {
    await send('POST', '/v1/session', { token });
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

function showDisabled(): Promise<never> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: so the configuration names what the environment holds.
  const example = make('pre', 'json', 'admin:\n  token: ${ADMIN_TOKEN}');
  example.tabIndex = 0;
  showAlone(
    make(
      'div',
      'sign-in',
      make('h2', '', 'No admin token is set'),
      make(
        'p',
        'aside',
        'The service collects and forwards events. To see them here, set a token in its configuration:',
      ),
      example,
    ),
  );
  return new Promise(() => {});
}

/** Shows it in place of the views. */
function showAlone(content: HTMLElement): HTMLElement {
  const place = make('div', 'alone', content);
  byId('main', HTMLElement).append(place);
  showState('none');
  return place;
}
