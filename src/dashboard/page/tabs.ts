/**
 * Tabs as the ARIA practices describe them: the arrows go from one to the next, and what it names is shown. Returns what
 * shows the tab of a name.
 */
export function startTabs(onShow: (name: string) => void): (name: string) => void {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
  const show = (chosen: HTMLElement): void => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isChosen;
    }
    onShow(chosen.id.replace('tab-', ''));
    // On a phone the row of tabs is longer than the screen. Its length may depend on the view.
    chosen.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (step === 0 || next === undefined) return;
      show(next);
      next.focus();
    });
  }
  return (name) => {
    const tab = tabs.find(({ id }) => id === `tab-${name}`) ?? tabs[0];
    if (tab !== undefined) show(tab);
  };
}
