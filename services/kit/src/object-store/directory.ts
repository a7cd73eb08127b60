import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { insufficientStorage } from '../http/errors.ts'
import { isStorageFull } from '../process/storage-full.ts'
import { metrics } from '../telemetry/metrics.ts'
import { freeBytes, makeFolders, statFile, syncFolder } from './directory-files.ts'
import { directoryParts, unfinishedUploads } from './directory-parts.ts'
import type { ObjectStore, StoredObject } from './types.ts'

/** How often the free space is read while a file is written. */
const CHECK_BYTES = 1024 * 1024

const free = metrics.gauge('skyfolio_object_store_free_bytes', 'Free space on the disk of the object directory')

/** Objects as files below `root`, which uploads do not fill: the store of a single machine without S3. */
export async function openDirectoryStore(root: string, reserveBytes = 0): Promise<ObjectStore> {
  const objects = join(root, 'objects')
  const incoming = join(root, 'incoming')
  await mkdir(objects, { recursive: true })
  await mkdir(incoming, { recursive: true })

  metrics.onScrape('object store', async () => [[free, await freeBytes(root)]])

  async function requireRoom(bytes = 0): Promise<void> {
    if ((await freeBytes(root)) - bytes < reserveBytes) throw insufficientStorage()
  }

  const pathOf = (key: string) => join(objects, key)

  return {
    async put(key, body, { leavesReserve }) {
      const path = pathOf(key)
      const temporary = join(incoming, randomUUID())
      try {
        const size = await writeDurably(temporary, body, leavesReserve ? requireRoom : undefined)
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
    remove: (key) => rm(pathOf(key), { force: true }),
    list: (prefix) => listFiles(objects, prefix),
    parts: directoryParts({ objects, incoming, requireRoom }),
    direct: null,
    incomplete: () => unfinishedUploads(incoming),
    async check() {
      const probe = join(incoming, randomUUID())
      try {
        await (await open(probe, 'wx')).close()
      } catch (error) {
        // It can be read, and objects can be removed.
        if (!isStorageFull(error)) throw error
      }
      await rm(probe, { force: true })
    },
  }
}

/** Writes and syncs the file. `checkRoom` throws when it must not grow. Returns its size. */
async function writeDurably(path: string, body: Readable, checkRoom?: () => Promise<void>): Promise<number> {
  await checkRoom?.()
  const file = await open(path, 'wx')
  try {
    let size = 0
    let checked = 0
    for await (const chunk of body) {
      await file.writeFile(chunk)
      size += chunk.length
      if (size - checked < CHECK_BYTES) continue
      checked = size
      await checkRoom?.()
    }
    await file.sync()
    return size
  } finally {
    await file.close()
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
