/** Names of files, and which incoming files are complete. */

/** Hidden and unlike the names that banks watch for, so that no incomplete file is read. */
export function temporaryNameOf(name: string): string {
  return `.${name}.part`
}

/** The name in the archive. The hash keeps files apart that a bank gives the same name. */
export function archiveNameOf(name: string, sha256: string): string {
  return `${sha256.slice(0, HASH_LENGTH)}-${name}`
}

/**
 * The name of an incoming file while its bytes are compared before it is archived. Hidden, so that
 * the bank does not touch it; whoever finds it after a crash renames it back.
 */
export function claimedNameOf(name: string, sha256: string): string {
  return `.${name}.${sha256.slice(0, HASH_LENGTH)}.archiving`
}

/** The name before the file was claimed; null if this is no claimed name. */
export function nameBeforeClaim(claimed: string): string | null {
  return CLAIMED.exec(claimed)?.[1] ?? null
}

const CLAIMED = /^\.(.+)\.[0-9a-f]{16}\.archiving$/
const HASH_LENGTH = 16
const UNFINISHED = /^[.~]|\.(part|partial|filepart|tmp|temp|writing|lock|crdownload|swp)$/i
const SAFE = /^[^/\\\p{Cc}]{1,200}$/u

function isFinalName(name: string): boolean {
  return SAFE.test(name) && !UNFINISHED.test(name)
}

export interface ListedFile {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
}

/**
 * Returns a function that picks the complete files of a listing: those that have the same size and
 * time as in the listing before. Empty files and temporary names are left alone.
 */
export function createSettling(): (listed: readonly ListedFile[]) => string[] {
  let before = new Map<string, string>()
  return listed => {
    const files = listed.filter(({ name, size }) => size > 0 && isFinalName(name))
    const now = new Map(files.map(f => [f.name, `${f.size} ${f.modified_ms}`]))
    const settled = [...now].filter(([name, look]) => before.get(name) === look)
    before = now
    return settled.map(([name]) => name).sort()
  }
}
