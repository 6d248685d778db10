import { plainJson } from './plain-json.js';
import { type Parsed, parseYaml } from './syntax.js';

/** The text of a configuration. It is parsed with all its places only where it is no plain JSON, or a mistake is to be shown. */
export class ConfigText {
  /** Undefined where the text is no plain JSON. */
  readonly json: unknown;
  readonly #text: string;
  #parsed: Parsed | undefined;

  constructor(text: string) {
    this.#text = text;
    this.json = plainJson(text);
  }

  get parsed(): Parsed {
    this.#parsed ??= parseYaml(this.#text);
    return this.#parsed;
  }
}
