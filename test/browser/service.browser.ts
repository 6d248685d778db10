import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { TOKEN } from './fake-service.js';
import { focusedText, openService, openView, refresh, settled, signIn } from './service-page.js';

const MOMENT = '2026-11-20T12:00:00.000Z';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('signing in', () => {
  test('comes first: without it the page asks for nothing and shows nothing', async () => {
    const { page, service, complaints } = await openService(browser);
    await page.waitForSelector('#token:focus');
    expect([...service.calls.keys()].sort()).toEqual(['GET /', 'GET /v1/session']);
    expect(await page.isVisible('[role=tablist]')).toBe(false);
    await signIn(page);
    expect(await page.$$eval('[role=tab]', (tabs) => tabs.map((tab) => tab.id))).toEqual([
      'tab-destinations',
      'tab-deliveries',
      'tab-sources',
      'tab-audiences',
      'tab-deletions',
      'tab-dead-letters',
      'tab-messages',
      'tab-rejected',
      'tab-batches',
      'tab-attempts',
    ]);
    expect(await focusedText(page)).toBe('Destinations');
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('with a wrong token says so beside the field, and keeps no token', async () => {
    const { page } = await openService(browser);
    await page.waitForSelector('#token:focus');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Enter the token.').waitFor();
    await page.fill('#token', 'wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('This is not the token.').waitFor();
    expect(await page.inputValue('#token')).toBe('');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('token');
    await signIn(page);
  });

  test('lasts over a reload, which opens the same view', async () => {
    const { page } = await openView(browser, 'Audiences');
    await page.reload();
    await page.getByRole('tab', { name: 'Audiences', selected: true }).waitFor();
    await page.getByRole('option', { name: /^Newsletter/ }).waitFor();
  });

  test('is not possible without a token in the configuration, and the page says how to have one', async () => {
    const { page } = await openService(browser, {}, { enabled: false });
    await page.getByRole('heading', { name: 'No admin token is set' }).waitFor();
    expect(await page.textContent('.sign-in .json')).toContain('ADMIN_TOKEN');
    expect(await page.isVisible('#token')).toBe(false);
  });
});

describe('signing out', () => {
  test('leaves nothing of what was shown', async () => {
    const { page, service } = await openView(browser, 'Destinations');
    await page.getByRole('link', { name: 'CRM' }).click();
    await page.getByText('crm.example.com').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out. This page keeps nothing.').waitFor();
    expect(await page.content()).not.toMatch(/crm\.example|Warehouse/);
    expect(service.calls.get('DELETE /v1/session')).toBe(1);
    const before = new Map(service.calls);
    await refresh(page);
    await page.goBack().catch(() => {});
    expect(await page.content()).not.toMatch(/crm\.example|Warehouse/);
    expect(service.calls.get('GET /v1/destinations')).toBe(before.get('GET /v1/destinations'));
  });

  test('that did not work is said, and one is still signed in', async () => {
    const { page, service } = await openView(browser, 'Sources');
    service.fail('DELETE /v1/session', 500, 'Not now.');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Not now.').waitFor();
    expect(await page.isVisible('#list-sources .row')).toBe(true);
  });

  test('happens by itself when the session is over, and says so', async () => {
    const { page, service } = await openView(browser, 'Destinations');
    service.endSessions();
    await refresh(page);
    await page.getByText('The session has ended. Sign in again.').waitFor();
    expect(await page.content()).not.toContain('crm.example');
    await page.fill('#token', TOKEN);
    await page.keyboard.press('Enter');
    await settled(page);
  });
});

describe('what is asked', () => {
  test('is what the open view shows, and nothing while the page is out of sight', async () => {
    const { page, service } = await openService(browser);
    const [sources, destinations] = ['GET /v1/sources', 'GET /v1/destinations'];
    const asked = (call: string): number => service.calls.get(call) ?? 0;
    await page.clock.install();
    await signIn(page);
    await page.click('#tab-destinations');
    await settled(page);
    await page.clock.pauseAt(Date.now() + 60_000);
    const before = asked(sources);
    for (let times = 0; times < 3; times++) {
      const answered = page.waitForResponse(/destinations/);
      await page.clock.runFor(2_000);
      await answered;
      await settled(page);
    }
    expect(asked(sources)).toBe(before);

    const see = (isSeen: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, !isSeen);
    await see(false);
    const seen = asked(destinations);
    await page.clock.runFor(60_000);
    expect(asked(destinations)).toBe(seen);
    // Nor when it was asked just before.
    const release = service.hold(destinations);
    await see(true);
    await expect.poll(() => asked(destinations)).toBe(seen + 1);
    await see(false);
    const answered = page.waitForResponse(/destinations/);
    release();
    await answered;
    await page.clock.runFor(60_000);
    expect(asked(destinations)).toBe(seen + 1);
    await see(true);
    await expect.poll(() => asked(destinations)).toBe(seen + 2);
  });

  test('and refused is said in its place, with what was known before, until it is answered again', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('option', { name: /^shop/ }).waitFor();
    service.fail('GET /v1/sources', 503, 'The store cannot be read.');
    await refresh(page);
    const problem = page.getByRole('tabpanel', { name: 'Sources' }).getByRole('status').first();
    await problem.getByText('The store cannot be read. Trying again.').waitFor();
    expect(await page.textContent('#status-text')).toBe('Reconnecting');
    expect(await page.getByRole('option', { name: /^shop/ }).isVisible()).toBe(true);
    service.fail('GET /v1/sources');
    await refresh(page);
    await settled(page);
    expect(await problem.isVisible()).toBe(false);
  });

  test('and not answered at all is said too', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await service.close();
    await refresh(page);
    await page.getByText('The service cannot be reached. Trying again.').waitFor();
  });
});

test('the line at the foot says how the service is, and above the tabs stands what is wrong with its configuration', async () => {
  const { page, service, complaints } = await openView(browser, 'Sources');
  const foot = page.getByRole('contentinfo');
  await foot.getByText('3 d 4 h').waitFor();
  expect(await foot.innerText()).toMatch(/lmdb, 1\.2 GB[\s\S]*0\.4 ms · p99 3\.2 ms · max 18 ms/);
  const alert = page.getByRole('alert');
  expect(await alert.isVisible()).toBe(false);
  const { status } = service.holdings;
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources[0].name: <img src=x> is taken' } };
  await refresh(page);
  await alert.getByText('sources[0].name: <img src=x> is taken').waitFor();
  service.holdings.status = status;
  await refresh(page);
  await alert.waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});

test('the tab of the view that is open is in sight, however narrow the window is', async () => {
  const { page } = await openView(browser, 'Sources', { viewport: { width: 820, height: 700 } });
  for (const name of ['Attempts', 'Sources', 'Dead letters', 'Messages']) {
    const tab = page.getByRole('tab', { name: new RegExp(`^${name}`) });
    // Pressed by script, as the focus, or the mouse, would bring it into sight by itself.
    await page.locator('#tab-destinations').evaluate((element: HTMLElement) => element.click());
    await tab.evaluate((element: HTMLElement) => element.click());
    const ends = await Promise.all([tab, page.getByRole('tablist')].map((element) => element.boundingBox()));
    const [end = 0, edge = 0] = ends.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
    expect([name, end <= edge]).toEqual([name, true]);
  }
});

describe('what happens', () => {
  const delivery = {
    kind: 'delivery',
    at: '2026-11-20T12:00:00.000Z',
    id: 'order-1',
    type: 'track',
    title: 'Order Completed',
    destination: 'CRM',
    endpoint: 'https://crm.example.com/hooks/events',
    attempt: 3,
    outcome: 'dead',
    result: '422',
    durationMs: 12,
    reason: 'the last answer is one that another attempt would not change',
  } as const;

  test('is listened to from when such a view is opened, and not before', async () => {
    const { page, service, complaints } = await openView(browser, 'Sources');
    expect(service.calls.get('GET /v1/feed')).toBeUndefined();
    expect(await page.isVisible('#tools')).toBe(false);
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await settled(page);
    service.feed.add(delivery);
    await page.getByRole('option', { name: /422 Order Completed/ }).waitFor();
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByText('The service records them only while this view is open.').waitFor();
    expect(await page.isVisible('#compose')).toBe(false);
    expect(service.calls.get('GET /v1/feed')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('and was given up is replayed at its destination', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('tab', { name: /Attempts/ }).click();
    service.feed.add(delivery);
    service.feed.add({ ...delivery, outcome: 'delivered', result: '200' });
    await page.getByRole('option', { name: /200 Order Completed/ }).click();
    const detail = page.getByRole('complementary', { name: 'Delivery' });
    expect(await detail.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    expect(await detail.textContent()).toContain('DestinationCRM');
    service.holdings.letters['CRM'] = [
      {
        id: 'order-1',
        type: 'track',
        acceptedAt: MOMENT,
        endpoints: [{ url: delivery.endpoint, reason: 'permanent', diedAt: MOMENT, attempts: [] }],
      },
    ];
    await page.getByRole('option', { name: /422 Order Completed/ }).click();
    await detail.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 delivery sent again').waitFor();
    expect(service.changes).toEqual([
      { call: 'POST /v1/destinations/CRM/replay', body: { id: 'order-1', endpoint: delivery.endpoint } },
    ]);
  });

  test('is no more to be heard when the session is over, and the page says so', async () => {
    const { page, service } = await openView(browser, 'Sources');
    await page.getByRole('tab', { name: /Messages/ }).click();
    await settled(page);
    service.endSessions();
    await page.evaluate(() => {
      // As when it was out of sight, and is seen again.
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('The session has ended. Sign in again.').waitFor();
  });
});
