/** Puts files into one ZIP archive. Pure: the same files, the same bytes. */
import { zipSync } from 'fflate'

interface NamedFile {
  readonly name: string
  readonly content: Buffer
}

/** ZIP knows no years before 1980; a fixed one keeps archives equal. */
const MTIME = new Date(2000, 0, 1)

/** Files of one name are numbered. They are stored as they are: PDFs and images do not shrink. */
export function zipFiles(files: readonly NamedFile[]): Buffer {
  const taken = new Set<string>()
  const entries = files.map(({ name, content }) => {
    const unique = uniqueName(name, taken)
    taken.add(unique)
    return [unique, content] as const
  })
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0, mtime: MTIME }))
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const dot = name.lastIndexOf('.')
  for (let n = 2; ; n++) {
    const numbered = `${name.slice(0, dot)}-${n}${name.slice(dot)}`
    if (!taken.has(numbered)) return numbered
  }
}
