/** Exchanges files through folders, from which the bank's client or a gateway takes them. */
import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, link, lstat, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import {
  archiveNameOf,
  claimedNameOf,
  createSettling,
  type ListedFile,
  nameBeforeClaim,
  temporaryNameOf,
} from './names.ts'
import { type FileExchange, type FileTransport, otherBytes } from './transport.ts'

/** Existing folders. The archive is on the same file system as the incoming folder. */
export interface Folders {
  readonly outgoing: string
  readonly incoming: string
  readonly archive: string
}

export function folderExchange({ outgoing, incoming, archive }: Folders): FileExchange {
  const settle = createSettling()
  const transport: FileTransport = {
    deliver: async (name, bytes) => {
      const path = join(outgoing, name)
      const there = await readIfThere(path)
      if (there && !there.equals(bytes)) throw otherBytes(name)
      if (!there) await writeWhole(join(outgoing, temporaryNameOf(name)), bytes, path)
      // Also after a crash between renaming and this.
      await syncFolder(outgoing)
      return 'delivered'
    },
    list: async () => {
      await releaseClaimed(incoming)
      return settle(await listFiles(incoming))
    },
    fetch: (name, path) => copyFile(join(incoming, name), path, constants.COPYFILE_EXCL),
    archive: async (name, sha256) => {
      const claimed = join(incoming, claimedNameOf(name, sha256))
      await rename(join(incoming, name), claimed)
      if ((await hashOf(claimed)) !== sha256) return release(claimed, join(incoming, name))
      await rename(claimed, join(archive, archiveNameOf(name, sha256)))
      await syncFolder(archive)
    },
  }
  return { during: work => work(transport) }
}

/** Gives files back that a crash left claimed. */
async function releaseClaimed(folder: string): Promise<void> {
  for (const found of await readdir(folder)) {
    const name = nameBeforeClaim(found)
    if (name !== null) await release(join(folder, found), join(folder, name))
  }
}

/** Renames the file, unless another has the name: then it stays until that one is archived. */
async function release(claimed: string, path: string): Promise<void> {
  const is_free = await link(claimed, path).then(
    () => true,
    error => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  if (is_free) await unlink(claimed)
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

/** Writes a file so that it appears under its name only when it is complete. */
async function writeWhole(temporary: string, bytes: Uint8Array, path: string): Promise<void> {
  const file = await open(temporary, 'w')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch(error => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function listFiles(folder: string): Promise<ListedFile[]> {
  const listed: ListedFile[] = []
  for (const name of await readdir(folder)) {
    const found = await lstat(join(folder, name)).catch(() => null)
    if (!found?.isFile()) continue
    listed.push({ name, size: found.size, modified_ms: found.mtimeMs })
  }
  return listed
}
