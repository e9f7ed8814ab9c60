/** Data folders in the state that a service's first start leaves. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type DataFolder, dataFolder, headroom } from './service.ts'

/** A new data folder with a migrated and seeded sandbox, and no running process. */
export async function seededFolder(): Promise<DataFolder> {
  const data = dataFolder()
  await seedInto(data.folder)
  return data
}

/** Copies a seeded sandbox into an empty folder. Each test run creates that sandbox once. */
export async function seedInto(folder: string): Promise<void> {
  const made = join(inject('folder'), 'seeded')
  if (!existsSync(made)) await make(made)
  execFileSync('cp', ['-a', `${made}/.`, folder])
}

/**
 * Creates the folder atomically. If another test worker creates it first, keeps that one.
 */
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
