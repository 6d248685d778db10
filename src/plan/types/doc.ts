import { isJsonObject } from '../../base/text/decode.js';
import type { JsonSchema } from '../plan.js';

/**
 * Writes the comment above a type or property from its annotations. Returns an empty string if there are none. Each
 * line ends in a line feed.
 */
export function docOf(schema: JsonSchema, indent = ''): string {
  if (!isJsonObject(schema)) return '';
  const { title, description, deprecated, format, default: standard } = schema;
  const lines = [
    ...[title, description].flatMap((text) => (typeof text === 'string' ? text.trim().split(/\r?\n/) : [])),
    ...(typeof format === 'string' ? [`@format ${format}`] : []),
    ...(standard === undefined ? [] : [`@default ${JSON.stringify(standard)}`]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ].map((line) => line.replaceAll('*/', '*\\/').trimEnd());
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}
