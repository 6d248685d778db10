import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

type Page = typeof import('../../../src/client/ending/page-end.js');

let listeners: Record<string, (event: object) => void>;
let document: { visibilityState: string; addEventListener(name: string, listener: () => void): void } | undefined;

beforeEach(() => {
  listeners = {};
  const addEventListener = (name: string, listener: (event: object) => void) => {
    listeners[name] = listener;
  };
  document = { visibilityState: 'visible', addEventListener };
  vi.stubGlobal('addEventListener', addEventListener);
});

afterEach(() => vi.unstubAllGlobals());

/** Loads the module as on a page that begins now. */
async function load(): Promise<Page> {
  vi.stubGlobal('document', document);
  vi.resetModules();
  return import('../../../src/client/ending/page-end.js');
}

/** A client with messages. */
function occupying({ occupy, vacate }: Page) {
  const client = { leave: vi.fn() };
  occupy(client);
  onTestFinished(() => vacate(client));
  return client;
}

const hide = (): void => {
  if (document !== undefined) document.visibilityState = 'hidden';
  listeners['visibilitychange']?.({});
};

test('when a page is hidden, its client sends what may outlive it, and the page may continue', async () => {
  const page = await load();
  page.watchProcessEnd();
  const client = occupying(page);
  hide();
  expect(client.leave.mock.calls).toEqual([[65_536, false]]);
});

test('when a page is shown again, nothing is sent', async () => {
  const page = await load();
  page.watchProcessEnd();
  const client = occupying(page);
  listeners['visibilitychange']?.({});
  expect(client.leave).not.toHaveBeenCalled();
});

test.each([
  [true, false],
  [false, true],
])('when a page is left and the browser keeps it (%s), it counts as ended: %s', async (persisted, isEnd) => {
  const page = await load();
  page.watchProcessEnd();
  const client = occupying(page);
  listeners['pagehide']?.({ persisted });
  expect(client.leave.mock.calls).toEqual([[65_536, isEnd]]);
  expect(page.hasPageEnded()).toBe(isEnd);
});

test('the clients of a page share the room, and one without messages gets none', async () => {
  const page = await load();
  page.watchProcessEnd();
  const [first, second, resting] = [occupying(page), occupying(page), occupying(page)];
  page.vacate(resting);
  hide();
  expect([first, second].map(({ leave }) => leave.mock.calls)).toEqual([[[32_768, false]], [[32_768, false]]]);
  expect(resting.leave).not.toHaveBeenCalled();
});

test('requests that outlive the page share 64 KB until they have ended', async () => {
  const page = await load();
  const release = page.outlivePage(40_000, false);
  expect(page.outlivePage(25_537, false)).toBeUndefined();
  page.outlivePage(25_536, false);
  release?.();
  expect(page.outlivePage(40_000, false)).toBeDefined();
});

test('a retry may outlive a page only when the page is hidden', async () => {
  const page = await load();
  expect(page.outlivePage(1, true)).toBeUndefined();
  hide();
  if (document !== undefined) document.visibilityState = 'hidden';
  expect(page.outlivePage(1, true)).toBeDefined();
});

test('without a page, no listener is added and no request outlives anything', async () => {
  document = undefined;
  const page = await load();
  page.watchProcessEnd();
  expect(listeners).toEqual({});
  expect(page.outlivePage(1, false)).toBeUndefined();
});

test('one listener is added, however many clients there are', async () => {
  const page = await load();
  page.watchProcessEnd();
  const first = listeners['pagehide'];
  page.watchProcessEnd();
  expect(listeners['pagehide']).toBe(first);
});
