// Makes the tables of docs/scaling.md out of costs.json:
//
//   npx tsx bench/capacity/table.js            shows them
//   npx tsx bench/capacity/table.js --write    puts them into docs/scaling.md
//
// test/bench/capacity/table.test.ts holds the page to them.
import { parseArgs } from 'node:util';
import { markdown } from '../report.js';
import { writeUp } from '../write-up.js';
import { COSTS } from './costs.ts';
import { sectionsOf } from './sections.ts';

const PAGE = new URL('../../docs/scaling.md', import.meta.url);

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const tables = Object.entries(sectionsOf(COSTS)).map(([name, { head, body }]) => [name, markdown(head, body)]);

if (values.write) writeUp(Object.fromEntries(tables), PAGE);
else for (const [name, table] of tables) console.log(`## ${name}\n\n${table}\n`);
