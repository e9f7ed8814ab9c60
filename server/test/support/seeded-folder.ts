/** Data folders as the first start of a service leaves them, for tests of what comes after it. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type DataFolder, dataFolder, headroom } from './service.ts'

/** A new data folder with a migrated and seeded sandbox in it that nothing runs on. */
export async function seededFolder(): Promise<DataFolder> {
  const data = dataFolder()
  await seedInto(data.folder)
  return data
}

/** Puts such a sandbox into an empty folder: a copy of one that each test run makes once. */
export async function seedInto(folder: string): Promise<void> {
  const made = join(inject('folder'), 'seeded')
  if (!existsSync(made)) await make(made)
  execFileSync('cp', ['-a', `${made}/.`, folder])
}

/** Another worker may be making it too: it is there once it is whole, and the first one stays. */
async function make(made: string): Promise<void> {
  const folder = mkdtempSync(join(inject('folder'), 'seeding-'))
  const { code, stderr } = await headroom(['seed'], { HEADROOM_DATA: folder })
  if (code !== 0) throw new Error(`no sandbox could be seeded: ${stderr}`)
  try {
    renameSync(folder, made)
  } catch (error) {
    if (!existsSync(made)) throw error
  }
}
