import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';
import type { Api, Route } from '../service/api/openapi-types.js';
import { FILTER, parametersOf } from '../service/api/queries.js';
import { type CallOptions, checkCall, type ResolvedAdminOptions } from './admin-options.js';
import { type AdminRequest, request } from './admin-request.js';
import { readRepeatedly } from './read-repeatedly.js';

export const FILTER_OPTIONS = Object.keys(FILTER);

const CHANGE_OPTIONS = [...FILTER_OPTIONS, 'all', 'rate', 'state'];

/** The fields of a body that callers give as options. The options of other calls are the parameters of the query. */
const BODY_OPTIONS: { readonly [R in Route]?: readonly string[] } = {
  'POST /v1/deliveries/replay': [...CHANGE_OPTIONS, 'sendTo'],
  'POST /v1/deliveries/discard': CHANGE_OPTIONS,
  'POST /v1/destinations/:name/test': ['endpoint', 'message'],
};

interface Sent {
  /** What the query has besides the options. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** What the JSON body has besides the options. */
  readonly fields?: object;
  /** A body that is not JSON but a list. */
  readonly lines?: AsyncIterable<string>;
  /** An example of the call, for the error that a caller gets who passes something other than options. */
  readonly example?: string;
}

/** Makes calls of the service's API by their routes. */
export class ApiCalls {
  readonly #options: ResolvedAdminOptions;

  constructor(options: ResolvedAdminOptions) {
    this.#options = options;
  }

  /**
   * @param params the values of the variables in the path, such as `name` in `/v1/audiences/:name`
   * @throws OptionError when an option is unknown or a part of the path is not valid, and the errors of `request`
   */
  async make<R extends Route>(
    route: R,
    options: CallOptions,
    params: Readonly<Record<string, string>> = {},
    { query, fields, lines, example }: Sent = {},
  ): Promise<Api[R]['answer']> {
    const { url: base, token } = this.#options;
    const [method, path] = route.split(' ') as [AdminRequest['method'], string];
    const names = BODY_OPTIONS[route] ?? Object.keys(parametersOf(route));
    const { signal, ...given } = checkCall(options, names, example);
    const isRead = method === 'GET';
    const url = new URL(base + path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name])));
    for (const [name, value] of Object.entries({ ...(isRead && given), ...query }))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const hasBody = !isRead && method !== 'DELETE';
    const body = lines ?? (hasBody ? JSON.stringify({ ...given, ...fields }) : undefined);
    const make = (): Promise<unknown> => request({ method, url, token, body, signal });
    // The form of the answer is not checked, because the service is trusted.
    return (await (isRead ? readRepeatedly(make, { signal }) : make())) as Api[R]['answer'];
  }
}

/** Encodes a part of the path. `.` and `..` are refused, because every URL parser resolves them, even when they are encoded. */
function segment(option: string, value: unknown): string {
  const isSegment = typeof value === 'string' && !/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value);
  if (!isSegment) throw new OptionError('admin', option, 'non-empty, well-formed text', describe(value));
  return encodeURIComponent(value);
}
