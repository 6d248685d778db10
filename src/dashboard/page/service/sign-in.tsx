import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatRoute, parseRoute } from '../page-route.js';
import { route } from '../page-router.js';
import { Framed, whyUnchangeable } from '../ui/detail.js';
import { get, problemOf, send } from './api.js';

/** Why the page asks for the token. The address holds one of these keys for one load of the page. */
const REASONS: Readonly<Record<string, string>> = {
  'signed-out': 'Signed out. This page keeps nothing.',
  'session-over': 'The session has ended. Sign in again.',
};
const AGAIN_AFTER_MS = 2_000;

export const session = signal<'asked' | 'none' | 'disabled' | 'begun'>('asked');
/** Why the session could not be read from the service. */
export const sessionProblem = signal('');
const reason = signal('');
let isSigningOut = false;

/** Returns a place within the page; undefined for any other address. */
const placeIn = (back = ''): string | undefined => (back.startsWith('#') ? back : undefined);

/** Finds out whether somebody is signed in. */
export async function findSession(): Promise<void> {
  const { view, query } = route.value;
  const why = REASONS[view];
  if (why !== undefined) {
    reason.value = why;
    // The user returns to the place where the session ended.
    const back = placeIn(query['back']);
    route.value = parseRoute(back ?? '');
    history.replaceState(null, '', back ?? location.pathname);
  }
  for (;;) {
    try {
      const { signedIn, enabled, readOnly } = await get('GET /v1/session');
      sessionProblem.value = '';
      // If the page says that the session has ended, it must ask for the token, whatever the service answers.
      const isBegun = signedIn && why === undefined;
      whyUnchangeable.value = readOnly ? 'The token of this session may change nothing' : '';
      session.value = isBegun ? 'begun' : enabled ? 'none' : 'disabled';
      return;
    } catch (error) {
      sessionProblem.value = problemOf(error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}

/**
 * Signs out and reloads the page, which is the safest way to drop its data.
 *
 * @throws ApiError when the service did not end the session
 */
export async function signOut(): Promise<void> {
  isSigningOut = true;
  try {
    await send('DELETE /v1/session');
  } catch (error) {
    isSigningOut = false;
    throw error;
  }
  leave({ view: 'signed-out', open: '', query: {} });
}

/** Asks for the token because the session is over. After signing in, the user returns to the same place. */
export function leaveForNow(): void {
  // Requests that are made during the sign-out are refused too.
  if (!isSigningOut) leave({ view: 'session-over', open: '', query: { back: formatRoute(route.value) } });
}

function leave(to: Parameters<typeof formatRoute>[0]): void {
  history.replaceState(null, '', formatRoute(to));
  location.reload();
}

export const SignIn = () => (session.value === 'disabled' ? <Disabled /> : <TokenForm />);

function TokenForm() {
  const token = useRef<HTMLInputElement>(null);
  const problem = useSignal('');
  const isSending = useSignal(false);
  useEffect(() => token.current?.focus(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isSending.value = true;
    problem.value = await begin(token.current?.value ?? '');
    isSending.value = false;
    if (token.current === null) return;
    token.current.value = '';
    token.current.focus();
  };
  return (
    <form class="card sign-in form" noValidate onSubmit={submit}>
      <h2>Sign in</h2>
      <p class="note">Enter the admin token from the configuration of the service.</p>
      <label class="note">
        Admin token
        <input
          ref={token}
          type="password"
          id="token"
          required
          autocomplete="current-password"
          aria-describedby="sign-in-says"
          aria-invalid={problem.value !== ''}
        />
      </label>
      <p class={`says ${problem.value === '' ? '' : 'bad'}`} id="sign-in-says" role="status">
        {problem.value || reason.value}
      </p>
      <button type="submit" class="primary" disabled={isSending.value}>
        Sign in
      </button>
    </form>
  );
}

/** Signs in. Returns what went wrong, or an empty text if it succeeded. */
async function begin(token: string): Promise<string> {
  if (token === '') return 'Enter the token.';
  try {
    await send('POST /v1/session', { token });
    await findSession();
    return '';
  } catch (error) {
    return problemOf(error);
  }
}

const Disabled = () => (
  <div class="card sign-in form">
    <h2>No admin token is set</h2>
    <p class="note">The service collects and forwards events. To see them here, set a token in its configuration:</p>
    <Framed>
      {/* biome-ignore lint/suspicious/noTemplateCurlyInString: so the configuration names what the environment holds. */}
      {'admin:\n  token: ${ADMIN_TOKEN}'}
    </Framed>
  </div>
);
