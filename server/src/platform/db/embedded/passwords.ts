/** The generated passwords of the two roles, in a file only its owner can read. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { Layout, Passwords } from './layout.ts'

export function readPasswords(layout: Layout): Passwords {
  return JSON.parse(readFileSync(layout.passwords, 'utf8')) as Passwords
}

export function writePasswords(layout: Layout): Passwords {
  const passwords = { headroom: randomPassword(), postgres: randomPassword() }
  const fresh = `${layout.passwords}.new`
  const file = openSync(fresh, 'w', 0o600)
  writeSync(file, `${JSON.stringify(passwords, null, 2)}\n`)
  fsyncSync(file)
  closeSync(file)
  renameSync(fresh, layout.passwords)
  return passwords
}

// No character of base64url needs escaping in SQL or a shell.
function randomPassword(): string {
  return randomBytes(24).toString('base64url')
}
