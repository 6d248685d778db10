import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = ['.', 'docs', 'examples', 'examples/deploy', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? join(folder, name) : [])),
);

const proseOf = (page: string): string => readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');

/** Returns the anchors of a page, created from its headings as on GitHub. */
function anchorsOf(page: string): string[] {
  const anchors: string[] = [];
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const repeated = anchors.filter((known) => known.replace(/-\d+$/, '') === anchor).length;
    anchors.push(repeated === 0 ? anchor : `${anchor}-${repeated}`);
  }
  return anchors;
}

/** The beginning of links to files of the repository, as readers of the README in the package follow them. */
const OURS =
  /^https:\/\/(?:github\.com\/eventferry\/eventferry\/(?:blob|tree)|raw\.githubusercontent\.com\/eventferry\/eventferry)\/main\/(.+)$/;

/** Returns the links of a page to files of the repository, as paths from its root, with their anchors. */
function linksOf(page: string): { to: string; anchor: string | undefined }[] {
  return [...proseOf(page).matchAll(/(?:\]\(|(?:href|src)=")([^)"\s]+)[)"]/g)].flatMap(([, target = '']) => {
    const [path = '', anchor] = target.split('#');
    const [, ours] = OURS.exec(path) ?? [];
    if (ours !== undefined) return { to: ours, anchor };
    if (/^\w+:/.test(path)) return [];
    return { to: path === '' ? page : join(dirname(page), path), anchor };
  });
}

test.each(pages)('every link of %s leads to an existing file and heading', (page) => {
  const broken = linksOf(page).filter(
    ({ to, anchor }) => !existsSync(join(root, to)) || (anchor !== undefined && !anchorsOf(to).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test('the pages link to each other', () => {
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(50);
});
