/** Messages from a database's supervisor to its clients. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listenForHolds } from '../../src/platform/db/embedded/control.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'control-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The first message a new client gets. */
function result(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path })
    socket.once('data', data => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.once('error', reject)
  })
}

test('clients waiting for a start are notified; later ones get the ready message', async () => {
  const path = join(folder, 'control')
  const control = await listenForHolds(path, () => {})
  control.tell({ log: 'creating a database' })
  expect(await result(path)).toBe('{"log":"creating a database"}\n')
  control.tell({ ready: true })
  control.tell({ log: 'the server ended by itself: starting it again' })
  expect(await result(path)).toBe('{"ready":true}\n')
  control.tell({ failed: 'no space is left' })
  expect(await result(path)).toBe('{"ready":true}\n{"failed":"no space is left"}\n')
  control.refuse()
  await control.end()
})
