import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';
import type { Api, Route } from '../service/api/openapi-types.js';
import type { ResolvedAdminOptions } from './admin-options.js';
import { type AdminRequest, request } from './admin-request.js';
import { readRepeatedly } from './read-repeatedly.js';

interface Target extends Pick<AdminRequest, 'type' | 'body' | 'signal'> {
  /** The values of the variables in the path, such as `name` in `/v1/audiences/:name`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** Makes calls of the service's API by their routes. */
export class ApiCalls {
  readonly #options: ResolvedAdminOptions;

  constructor(options: ResolvedAdminOptions) {
    this.#options = options;
  }

  /** @throws OptionError when a part of the path is not valid, and the errors of `request` */
  async make<R extends Route>(route: R, { params = {}, query = {}, ...rest }: Target = {}): Promise<Api[R]['answer']> {
    const { url: base, token } = this.#options;
    const [method, path] = route.split(' ') as [AdminRequest['method'], string];
    const url = new URL(base + path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name])));
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const make = (): Promise<unknown> => request({ method, url, token, ...rest });
    // The form of the answer is not checked, because the service is trusted.
    return (await (method === 'GET' ? readRepeatedly(make, rest) : make())) as Api[R]['answer'];
  }
}

export const json = (value: object) => ({ type: 'application/json', body: JSON.stringify(value) });

/** Encodes a part of the path. `.` and `..` are refused, because every URL parser resolves them, even when they are encoded. */
function segment(option: string, value: unknown): string {
  const isSegment = typeof value === 'string' && !/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value);
  if (!isSegment) throw new OptionError('admin', option, 'non-empty, well-formed text', describe(value));
  return encodeURIComponent(value);
}
