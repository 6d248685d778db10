/** One message of a batch that the collector refused while it took the others. */
export interface Rejection {
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** What the collector said: `MESSAGE_TOO_LARGE: …`. */
  readonly reason: string;
}

/**
 * The messages that a 2xx answer names as refused: `{ "success": true, "rejected": [{ index, messageId, code, message }] }`.
 * An answer that says nothing of the kind, or that cannot be read, refuses none.
 */
export function rejectionsOf(body: string): readonly Rejection[] {
  // Almost every answer: not worth parsing.
  if (!body.includes('"rejected"')) return [];
  const { rejected } = parseObject(body);
  return Array.isArray(rejected) ? rejected.flatMap(toRejection) : [];
}

function toRejection(entry: unknown): Rejection[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { index, code, message } = entry as Record<string, unknown>;
  if (typeof index !== 'number') return [];
  return [{ index, reason: [code, message].filter((part) => typeof part === 'string').join(': ') }];
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
