import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { AppError, badRequest, type Logger, type ObjectStore, payloadTooLarge, unavailable } from '@skyfolio/kit'
import type { Format, UploadLimits } from '@skyfolio/proto'
import type { FastifyRequest } from 'fastify'
import { newId, originalKey } from '../files/objects.ts'
import { objectSource } from '../formats/byte-source.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { readTiff } from '../formats/tiff-structure.ts'
import type { Folders } from '../projection/folders.ts'
import { type PaceLimits, waitsForUs, watchPace } from './minimum-rate.ts'
import { PhotoInspector } from './photo-inspector.ts'
import { loosestLimits, refusalFor, type SeenFile } from './purposes.ts'
import { isIncomplete, notAccepted, type PhotoLimits } from './rejections.ts'
import type { Slots } from './slots.ts'
import { cleanName, nameToKeep, type UploadForm, withField } from './upload-form.ts'

export interface ReceivingDeps extends PaceLimits {
  store: ObjectStore
  folders: Folders
  slots: Slots
  limits: UploadLimits
  logger: Logger
}

/** An original that the store holds safely, while no photo knows it yet. */
export interface StoredOriginal {
  filename: string
  originalName: string
  filesize: number
  sha256: string
}

/** What became of a file: the store has it, or a sentence says why not. */
export type ReceivedFile = { seen: SeenFile } & ({ original: StoredOriginal } | { refusal: AppError })

export interface Received {
  form: UploadForm
  /** In the order of the request. */
  files: ReceivedFile[]
}

/** The originals among the files of an upload. */
export function originalsOf({ files }: Received): StoredOriginal[] {
  return files.flatMap((file) => ('original' in file ? [file.original] : []))
}

interface Options {
  userId: number
  fieldName: string
  maxFiles: number
}

const MAX_FIELDS = 20
const CUT_OFF = 'Others wait, and this upload is slow. Please try again in a moment.'
const ONE_BY_ONE = 'Photos for the metadata screen are sent one by one, to /api/upload-photo.'
/** How the multipart parser says that the form does not end as it should, or is none. */
const BROKEN_FORM = /terminated early|Unexpected end of multipart|Boundary not found|needle cannot/

/** Removes originals that become no photos. What cannot be removed now is left to the sweeper. */
async function discard({ store, logger }: ReceivingDeps, ids: string[]): Promise<void> {
  for (const id of ids) {
    await store.remove(originalKey(id)).catch((error) => {
      logger.warn({ err: error, id }, 'a refused upload stays until the sweeper finds it')
    })
  }
}

/** Whether a stored TIFF is one or a DNG, or why it is refused. Its directories may stand anywhere, so it is read now. */
async function inspectTiff(
  { store }: ReceivingDeps,
  id: string,
  size: number,
  name: string,
): Promise<{ format: Format; picture: ImageSize } | { format: Format | null; refusal: AppError }> {
  const { isForeignRaw, isComplete, format, ...picture } = await readTiff(objectSource(store, originalKey(id), size))
  if (isForeignRaw) return { format: null, refusal: notAccepted(name) }
  return isComplete ? { format, picture } : { format, refusal: isIncomplete(name, format) }
}

/** Stores one file of the request, unless it is refused. @throws what kept the store from taking it */
async function storeOriginal(
  deps: ReceivingDeps,
  part: MultipartFile,
  name: string,
  limits: PhotoLimits,
): Promise<ReceivedFile> {
  const id = newId()
  const inspector = new PhotoInspector(name, limits)
  const seen = () => ({ name, format: inspector.kind, size: inspector.size, picture: inspector.picture })
  // What goes wrong here ends the put, which tells.
  pipeline(part.file, inspector, () => {})
  try {
    const { size } = await deps.store.put(originalKey(id), inspector, { contentType: 'application/octet-stream' })
    if (size !== inspector.size) throw new Error(`${size} bytes are stored of ${inspector.size}`)
    const { kind } = inspector
    if (!kind) throw new Error('a file of no kind was stored')
    const found = kind === 'tif' ? await inspectTiff(deps, id, size, name) : { format: kind }
    if ('refusal' in found) {
      await discard(deps, [id])
      return { refusal: found.refusal, seen: { ...seen(), format: found.format } }
    }
    const filename = `${id}.${found.format}`
    const original = {
      filename,
      originalName: nameToKeep(name, found.format),
      filesize: size,
      sha256: inspector.sha256(),
    }
    return { original, seen: { ...seen(), ...found } }
  } catch (error) {
    inspector.destroy()
    await discard(deps, [id])
    // Only a refused file was read to its end, so that others can follow.
    if (inspector.refusal && part.file.readableEnded) return { refusal: inspector.refusal, seen: seen() }
    throw inspector.refusal ?? error
  }
}

/** Refuses what the upload's purpose does not allow, now that it is known. */
async function judge(deps: ReceivingDeps, { form, files }: Received): Promise<Received> {
  const judged: ReceivedFile[] = []
  for (const file of files) {
    const refusal = refusalFor(form.purpose, file.seen, deps.limits)
    if (refusal && 'original' in file) await discard(deps, [file.original.filename])
    judged.push(refusal ? { refusal, seen: file.seen } : file)
  }
  return { form, files: judged }
}

/** Takes an upload's parts as they come. */
function createReceiver(deps: ReceivingDeps, request: IncomingMessage, o: Options) {
  const files: ReceivedFile[] = []
  let form: UploadForm = { description: null, isPublic: null, folderId: null, purpose: 'gallery' }
  const limits = o.maxFiles === 1 ? loosestLimits(deps.limits) : deps.limits

  async function takeField(name: string, value: unknown): Promise<void> {
    if (typeof value !== 'string') throw badRequest('The form is not valid.')
    form = withField(form, name, value)
    if (form.purpose === 'metadata' && o.maxFiles > 1) throw badRequest(ONE_BY_ONE)
    if (name === 'folderId' && form.folderId !== null) await deps.folders.own(form.folderId, o.userId)
  }

  async function takeFile(part: MultipartFile): Promise<void> {
    if (part.fieldname !== o.fieldName) throw badRequest(`Photos are expected in the field "${o.fieldName}".`)
    if (files.length >= o.maxFiles) {
      throw payloadTooLarge(
        o.maxFiles === 1
          ? 'Only one photo is accepted here.'
          : `At most ${o.maxFiles} photos are accepted in one upload.`,
      )
    }
    const free = await deps.slots.acquire({
      key: o.userId,
      bytes: () => request.socket.bytesRead,
      waitsForUs: () => waitsForUs(request) || part.file.readableEnded,
      cutOff: () => part.file.destroy(unavailable(CUT_OFF)),
    })
    try {
      files.push(await storeOriginal(deps, part, cleanName(part.filename), limits))
    } finally {
      free()
    }
  }

  return { takeField, takeFile, result: (): Received => ({ form, files }) }
}

/** Whether it is no use to send the rest now: the client hears so at once, and the gateway drops what it still sends. */
function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.status === 503
}

/** What went wrong, as the client may hear it. A client that left is no failure of ours. */
function asAnswer(reason: unknown, request: IncomingMessage): unknown {
  if (reason instanceof AppError) return reason
  if (request.destroyed && !request.complete) return badRequest('The upload was cut off.', { cause: reason })
  const broken = reason instanceof Error && BROKEN_FORM.test(reason.message)
  return broken ? badRequest('The form is not complete.') : reason
}

/**
 * Reads a whole multipart upload. A file that is refused harms no other; a refusal of the upload itself (too many
 * files, an unknown folder, a broken form) removes what was stored of it.
 * @throws AppError 400, 404, 413, 503
 */
export async function receiveUpload(deps: ReceivingDeps, request: FastifyRequest, o: Options): Promise<Received> {
  if (!request.isMultipart()) throw badRequest('The upload must be a multipart form.')
  const receiver = createReceiver(deps, request.raw, o)
  const limits = {
    fileSize: Math.max(deps.limits.fileBytes, deps.limits.largeFileBytes, deps.limits.metadataFileBytes) + 1,
    fields: MAX_FIELDS,
    parts: MAX_FIELDS + 2 * o.maxFiles,
    headerPairs: 50,
    fieldSize: 65_536,
  }
  let refusal: unknown
  const endWatch = watchPace(request.raw, deps)
  try {
    for await (const part of request.parts({ limits })) {
      // After a refusal the rest is read and dropped: a browser hears an answer only when all is sent.
      if (refusal && part.type === 'file') part.file.resume()
      if (refusal) continue
      try {
        if (part.type === 'file') await receiver.takeFile(part)
        else await receiver.takeField(part.fieldname, part.value)
      } catch (error) {
        refusal = error
        if (isBusy(error)) break
        if (part.type === 'file') part.file.resume()
      }
    }
    if (refusal) throw refusal
    return await judge(deps, receiver.result())
  } catch (error) {
    const stored = originalsOf(receiver.result())
    await discard(
      deps,
      stored.map(({ filename }) => filename),
    )
    throw asAnswer(refusal ?? error, request.raw)
  } finally {
    endWatch()
    // Nobody takes what is still sent; a connection that is not read would never be seen to end.
    if (!request.raw.complete) request.raw.unpipe().resume()
  }
}
