/** Collects bytes arriving in chunks of any size into one growing buffer. */
const FIRST_BYTES = 4 * 1024

export class Bytes {
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length) this.#grow(length)
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** Everything received so far; later pushes do not change the result. */
  all(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length, FIRST_BYTES))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
