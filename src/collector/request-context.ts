import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageTypeName } from '../protocol/message.js';
import { formatMs } from '../protocol/timestamp.js';
import type { Lease } from './byte-budget.js';
import { describeRequest, type RequestInProgress } from './request.js';
import type { Source } from './source.js';

/** One request, and all that is known of it so far. */
export interface RequestContext {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Without one the body is a batch. */
  readonly type: MessageTypeName | undefined;
  readonly receivedMs: number;
  /** On a clock that never jumps. */
  readonly startedMs: number;
  readonly request: RequestInProgress;
  readonly lease: Lease;
  source: Source | undefined;
  /** The decoded body. */
  json: Uint8Array | undefined;
}

type Given = Pick<RequestContext, 'incoming' | 'outgoing' | 'type' | 'receivedMs' | 'lease'>;

export function createRequestContext(given: Given): RequestContext {
  const [path = ''] = (given.incoming.url ?? '').split('?', 1);
  return {
    ...given,
    startedMs: performance.now(),
    request: describeRequest(given.incoming, path, formatMs(given.receivedMs)),
    source: undefined,
    json: undefined,
  };
}
