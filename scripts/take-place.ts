/** Puts a folder where another one stands, whole: whoever looks sees the one or the other. */
import { renameSync, rmSync } from 'node:fs'

/** Of several who do so at once the last one's stays. Throws what the file system refuses. */
export function takePlace(made: string, place: string): void {
  const old = `${made}-old`
  const isDone = () => {
    rmSync(old, { recursive: true, force: true })
    allow('ENOENT', () => renameSync(place, old))
    // Somebody else's is there already: it goes, too.
    return allow('ENOTEMPTY', () => renameSync(made, place))
  }
  while (!isDone()) {}
  rmSync(old, { recursive: true, force: true })
}

/** Whether it went well; false where it was refused for that reason. */
function allow(code: 'ENOENT' | 'ENOTEMPTY', act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error
    return false
  }
}
