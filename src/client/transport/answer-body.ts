/**
 * Answers are a few bytes. One that names every message of a full batch as refused, with a long id and a long reason for
 * each, is some megabytes.
 */
const LONGEST_ANSWER_BYTES = 8 * 1_048_576;

const utf8 = new TextDecoder();

/** The body of an answer, put together from its chunks, up to 8 MiB. */
export class AnswerBody {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** False when that is more than is read of any answer. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    if (this.isTruncated) return false;
    this.#chunks.push(chunk);
    return true;
  }

  /** Whether there was more than is read. */
  get isTruncated(): boolean {
    return this.#bytes > LONGEST_ANSWER_BYTES;
  }

  text(): string {
    const [first] = this.#chunks;
    return utf8.decode(this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks));
  }
}
