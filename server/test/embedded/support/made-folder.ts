/** Data folders for tests that do not test the creation of a database. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startEmbedded } from '../../../src/platform/db/embedded/index.ts'
import { newFolder } from './index.ts'

let made: Promise<string> | undefined

/**
 * A new folder with a stopped database: a copy of one that each worker creates once. Removed by
 * `removeFolders`.
 */
export async function madeFolder(): Promise<string> {
  made ??= makeOnce()
  const folder = newFolder()
  execFileSync('cp', ['-a', `${await made}/.`, folder])
  return folder
}

async function makeOnce(): Promise<string> {
  const folder = mkdtempSync(join(inject('folder'), 'made-'))
  const embedded = await startEmbedded({ folder })
  await embedded.stop()
  return folder
}
