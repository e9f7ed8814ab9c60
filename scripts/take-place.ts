/** Replaces a folder so that readers never see a partly written one. */
import { renameSync, rmSync } from 'node:fs'

/**
 * Moves the folder `made` to `place`. Of several concurrent calls, the last one wins. Throws file
 * system errors.
 */
export function takePlace(made: string, place: string): void {
  const old = `${made}-old`
  const isDone = () => {
    rmSync(old, { recursive: true, force: true })
    allow('ENOENT', () => renameSync(place, old))
    // ENOTEMPTY: another process has just put its folder there, so replace that too.
    return allow('ENOTEMPTY', () => renameSync(made, place))
  }
  while (!isDone()) {}
  rmSync(old, { recursive: true, force: true })
}

function allow(code: 'ENOENT' | 'ENOTEMPTY', act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error
    return false
  }
}
