import { readFile, stat } from 'node:fs/promises';

/** What a small file of the system says, read anew whenever the file has changed. */
export class ParsedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #version: string | undefined;
  #parsed: T;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#parsed = parse('');
  }

  /** Never rejects: a file that is missing or cannot be read is empty. */
  async read(): Promise<T> {
    try {
      const { mtimeMs, size } = await stat(this.#path);
      const version = `${mtimeMs} ${size}`;
      if (version !== this.#version) {
        this.#parsed = this.#parse(await readFile(this.#path, 'utf8'));
        this.#version = version;
      }
    } catch {
      this.#version = undefined;
      this.#parsed = this.#parse('');
    }
    return this.#parsed;
  }
}
