type Fields = Readonly<Record<string, unknown>>;

/** The collector adds some of these fields. The others would make it drop the second message as a duplicate of the first. */
const NOT_SENT_AGAIN = ['type', 'messageId', 'timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'];

/** Returns the fields that are needed to send the message again now. */
function fieldsOf(message: Fields): Fields {
  const kept = Object.entries(message).filter(([key, value]) => !NOT_SENT_AGAIN.includes(key) && value !== null);
  return Object.fromEntries(kept);
}

/** Writes the message as a command for a POSIX shell. */
export function asCurl(message: Fields, endpoint: string): string {
  const body = JSON.stringify(fieldsOf(message));
  return [
    `curl ${endpoint}/v1/${inPath(message['type'])}`,
    `-u "$EVENTFERRY_WRITE_KEY:"`,
    `-H 'Content-Type: application/json'`,
    `-d ${inQuotes(body)}`,
  ].join(' \\\n  ');
}

const inPath = (type: unknown): string => encodeURIComponent(String(type));

/** A shell leaves everything between single quotes unchanged, except for the quote itself. */
const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes the message as a call of the client. */
export const asCode = (message: Fields): string =>
  `analytics.${String(message['type'])}(${literal(fieldsOf(message), '')});`;

function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return inCode(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${literal(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${inner}${keyInCode(key)}: ${literal(item, inner)}`);
  return parts.length === 0 ? open + close : `${open}\n${parts.join(',\n')},\n${indent}${close}`;
}

function inCode(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  // JSON does not escape these two line separators.
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

function keyInCode(key: string): string {
  // An unquoted `__proto__` would set the prototype instead of a field.
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : inCode(key);
}
