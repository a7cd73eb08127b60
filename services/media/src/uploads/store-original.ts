import { pipeline } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { AppError, Logger, ObjectStore } from '@skyfolio/kit'
import { newId, originalKey } from '../files/object-keys.ts'
import { objectSource } from '../formats/byte-source.ts'
import { inspectTiff, PhotoInspector } from './photo-inspector.ts'
import type { InspectedFile, PhotoLimits } from './rejections.ts'
import { nameToKeep } from './upload-form.ts'

interface StoreOriginalDeps {
  store: ObjectStore
  logger: Logger
}

/** An original in the object store that belongs to no photo yet. */
export interface StoredOriginal {
  filename: string
  originalName: string
  filesize: number
  sha256: string
  /** False: a claim of the client, which the worker verifies. */
  sha256Verified: boolean
  /** Null: not known yet. */
  crc32: number | null
}

/** The outcome of one file: stored, or rejected with a reason. */
export type ReceivedFile = { inspected: InspectedFile } & ({ original: StoredOriginal } | { rejection: AppError })

/** Stores one file of the request, unless it is rejected. @throws Error when the file could not be stored */
export async function storeOriginal(
  deps: StoreOriginalDeps,
  part: MultipartFile,
  name: string,
  limits: PhotoLimits,
): Promise<ReceivedFile> {
  const id = newId()
  const inspector = new PhotoInspector(name, limits)
  // An error in the pipeline also ends the put, which throws it.
  pipeline(part.file, inspector, () => {})
  try {
    const options = { contentType: 'application/octet-stream', leavesReserve: true }
    const { size } = await deps.store.put(originalKey(id), inspector, options)
    return await describeStored(deps, id, name, inspector, size)
  } catch (error) {
    inspector.destroy()
    await discardOriginals(deps, [id])
    // Only a rejected file was read to its end, so that further files can follow.
    if (inspector.rejection && part.file.readableEnded) {
      return { rejection: inspector.rejection, inspected: inspectedFile(name, inspector) }
    }
    throw inspector.rejection ?? error
  }
}

/** Removes originals, by id or file name, that become no photos. The sweep removes those that cannot be removed now. */
export async function discardOriginals({ store, logger }: StoreOriginalDeps, names: string[]): Promise<void> {
  for (const name of names) {
    await store.remove(originalKey(name)).catch((error) => {
      logger.warn({ err: error, id: name }, 'removal of a rejected upload failed, left to the sweep')
    })
  }
}

async function describeStored(
  deps: StoreOriginalDeps,
  id: string,
  name: string,
  inspector: PhotoInspector,
  size: number,
): Promise<ReceivedFile> {
  if (size !== inspector.size) throw new Error(`stored ${size} bytes of ${inspector.size}`)
  const { kind } = inspector
  if (!kind) throw new Error('stored a file of unknown format')
  const found =
    kind === 'tif' ? await inspectTiff(objectSource(deps.store, originalKey(id), size), name) : { format: kind }
  const inspected = { ...inspectedFile(name, inspector), format: found.format }
  if ('rejection' in found) {
    await discardOriginals(deps, [id])
    return { rejection: found.rejection, inspected }
  }
  const original = {
    filename: `${id}.${found.format}`,
    originalName: nameToKeep(name, found.format),
    filesize: size,
    sha256: inspector.sha256(),
    sha256Verified: true,
    crc32: inspector.crc32,
  }
  return { original, inspected: 'dimensions' in found ? { ...inspected, dimensions: found.dimensions } : inspected }
}

function inspectedFile(name: string, { kind, size, dimensions, scans }: PhotoInspector): InspectedFile {
  return { name, format: kind, size, dimensions, scans }
}
