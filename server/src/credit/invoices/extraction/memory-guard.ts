/**
 * Bounds the buffers of the process that reads untrusted files. V8's heap limit does not cover
 * them, and a few bytes in a PDF may unpack into gigabytes. A document that exceeds the bounds is
 * refused before it exhausts the memory.
 */
const ONE_MAX = 64 * 1024 * 1024
const ALL_MAX = 768 * 1024 * 1024

const GUARDED = [
  'ArrayBuffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
] as const

class TooLargeError extends Error {
  override name = 'TooLargeError'
}

export interface MemoryGuard {
  /** Resets the count for the next file. */
  begin(): void
  /** Whether a buffer was refused since `begin`. */
  hasRefused(): boolean
}

export function guardMemory(): MemoryGuard {
  let all = 0
  let refused = false
  const scope = globalThis as unknown as Record<string, new (...given: unknown[]) => object>
  // Without DecompressionStream, the library decompresses in JavaScript, with the guarded
  // constructors.
  Reflect.deleteProperty(scope, 'DecompressionStream')
  for (const name of GUARDED) {
    const real = scope[name]!
    const guarded: typeof real = new Proxy(real, {
      construct(target, given, as) {
        const [length] = given
        const width = (real as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1
        if (typeof length === 'number') {
          all += length * width
          if (length * width > ONE_MAX || all > ALL_MAX) {
            refused = true
            throw new TooLargeError(`${length * width} bytes are too many`)
          }
        }
        return Reflect.construct(target, given, as === guarded ? target : as)
      },
    })
    scope[name] = guarded
  }
  const begin = () => {
    all = 0
    refused = false
  }
  return { begin, hasRefused: () => refused }
}
