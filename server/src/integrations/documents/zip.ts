/** Packs files into a ZIP archive piece by piece. The same files give the same bytes. */
import { Zip, ZipDeflate } from 'fflate'

interface NamedFile {
  readonly name: string
  readonly pieces: AsyncIterable<Buffer>
}

/** A fixed date keeps equal archives equal. ZIP dates start in 1980. */
const MTIME = new Date(2000, 0, 1)

/**
 * The archive's bytes, produced on demand. Numbers files with the same name. Stores files
 * uncompressed, since PDFs and images do not shrink.
 */
export async function* zipFiles(files: readonly NamedFile[]): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    made.push(bytes)
  })
  const uniqueName = createNames()
  for (const { name, pieces } of files) {
    const entry = new ZipDeflate(uniqueName(name), { level: 0 })
    entry.mtime = MTIME
    zip.add(entry)
    for await (const piece of pieces) {
      entry.push(piece)
      yield* made.splice(0)
    }
    entry.push(new Uint8Array(0), true)
    yield* made.splice(0)
  }
  zip.end()
  yield* made
}

function createNames(): (name: string) => string {
  const taken = new Set<string>()
  const last = new Map<string, number>()
  return name => {
    const dot = name.lastIndexOf('.')
    let unique = name
    for (let n = last.get(name) ?? 1; taken.has(unique); ) {
      n++
      last.set(name, n)
      unique = `${name.slice(0, dot)}-${n}${name.slice(dot)}`
    }
    taken.add(unique)
    return unique
  }
}
