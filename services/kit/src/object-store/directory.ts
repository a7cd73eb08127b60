import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { checkKey } from './key.ts'
import type { IncompleteUpload, ObjectStore, StoredObject } from './types.ts'

/** Objects as files below `root`: the store of a single machine without S3. */
export async function openDirectoryStore(root: string): Promise<ObjectStore> {
  const objects = join(root, 'objects')
  const incoming = join(root, 'incoming')
  await mkdir(objects, { recursive: true })
  await mkdir(incoming, { recursive: true })

  function pathOf(key: string): string {
    checkKey(key)
    return join(objects, key)
  }

  return {
    async put(key, body) {
      const path = pathOf(key)
      const temporary = join(incoming, randomUUID())
      try {
        const size = await writeDurably(temporary, body)
        await makeFolders(objects, dirname(path))
        await rename(temporary, path)
        await syncFolder(dirname(path))
        return { size }
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
    async head(key) {
      const found = await statFile(pathOf(key))
      return found && { size: found.size }
    },
    async get(key, range) {
      const path = pathOf(key)
      const found = await statFile(path)
      return found && { size: found.size, body: createReadStream(path, range) }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true })
    },
    list: (prefix) => listFiles(objects, prefix),
    incomplete: () => unfinishedFiles(incoming),
    async check() {
      const probe = join(incoming, randomUUID())
      await (await open(probe, 'wx')).close()
      await rm(probe)
    },
  }
}

/** Writes and syncs the file, then reads it back to compare size and checksum. */
async function writeDurably(path: string, body: Readable): Promise<number> {
  const file = await open(path, 'wx+')
  try {
    let size = 0
    let written = 0
    for await (const chunk of body) {
      await file.writeFile(chunk)
      size += chunk.length
      written = crc32(chunk, written)
    }
    await file.sync()
    let read = 0
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) read = crc32(chunk, read)
    if ((await file.stat()).size !== size || read !== written) throw new Error('the file differs from what was written')
    return size
  } finally {
    await file.close()
  }
}

/** Creates missing folders and syncs their directory entries. */
async function makeFolders(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (!first) return
  for (let made = folder; made !== root; made = dirname(made)) await syncFolder(dirname(made))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

async function statFile(path: string) {
  try {
    const found = await stat(path)
    return found.isFile() ? found : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** A folder sorts as its name with a slash, so that whole keys are in order. */
async function* listFiles(objects: string, prefix: string, folder = ''): AsyncIterable<StoredObject> {
  const entries = await readdir(join(objects, folder), { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const keys = entries.map((entry) => folder + entry.name + (entry.isDirectory() ? '/' : '')).sort()
  for (const key of keys) {
    if (key.endsWith('/')) {
      if (key.startsWith(prefix) || prefix.startsWith(key)) yield* listFiles(objects, prefix, key)
    } else if (key.startsWith(prefix)) {
      const found = await statFile(join(objects, key))
      if (found) yield { key, size: found.size, modifiedAt: found.mtime }
    }
  }
}

async function* unfinishedFiles(incoming: string): AsyncIterable<IncompleteUpload> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const found = await statFile(path)
    if (found) yield { startedAt: found.birthtime, end: () => rm(path, { force: true }) }
  }
}
