import { pipeline } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { AppError, badRequest, type Logger, type ObjectStore, payloadTooLarge } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Folders } from './folders.ts'
import { newName, originalKey } from './objects.ts'
import { PhotoInspector, type PhotoLimits } from './photo-inspector.ts'
import type { Slots } from './slots.ts'
import { cleanName, type UploadForm, withField } from './upload-form.ts'

export interface UploadLimits extends PhotoLimits {
  filesPerUpload: number
}

export interface ReceivingDeps {
  store: ObjectStore
  folders: Folders
  slots: Slots
  limits: UploadLimits
  /** Milliseconds without a byte after which an upload is dropped. */
  stallMs: number
  logger: Logger
}

/** An original that the store holds safely, while no photo knows it yet. */
export interface StoredOriginal {
  filename: string
  originalName: string
  filesize: number
  sha256: string
}

export interface Received {
  form: UploadForm
  originals: StoredOriginal[]
  /** One for each file that was refused. */
  refusals: AppError[]
}

interface Options {
  userId: number
  fieldName: string
  maxFiles: number
}

const MAX_FIELDS = 20
/** How the multipart parser says that the form does not end as it should, or is none. */
const BROKEN_FORM = /terminated early|Unexpected end of multipart|Boundary not found|needle cannot/

/** Removes originals that become no photos. What cannot be removed now is left to the sweeper. */
async function discard({ store, logger }: ReceivingDeps, originals: { filename: string }[]): Promise<void> {
  for (const { filename } of originals) {
    await store.remove(originalKey(filename)).catch((error) => {
      logger.warn({ err: error, filename }, 'a refused upload stays until the sweeper finds it')
    })
  }
}

/** Stores one file of the request. @throws the inspector's refusal, or what kept the store from taking it */
async function storeOriginal(deps: ReceivingDeps, part: MultipartFile, name: string): Promise<StoredOriginal> {
  const filename = newName('jpg')
  const inspector = new PhotoInspector(name, deps.limits)
  // What goes wrong here ends the put, which tells.
  pipeline(part.file, inspector, () => {})
  try {
    const { size } = await deps.store.put(originalKey(filename), inspector, { contentType: 'image/jpeg' })
    if (size !== inspector.size) throw new Error(`${size} bytes are stored of ${inspector.size}`)
    return { filename, originalName: name, filesize: size, sha256: inspector.sha256() }
  } catch (error) {
    inspector.destroy()
    await discard(deps, [{ filename }])
    throw inspector.refusal ?? error
  }
}

/** Takes an upload's parts as they come. */
function createReceiver(deps: ReceivingDeps, o: Options) {
  const originals: StoredOriginal[] = []
  const refusals: AppError[] = []
  let form: UploadForm = { description: null, isPublic: null, folderId: null }

  async function takeField(name: string, value: unknown): Promise<void> {
    if (typeof value !== 'string') throw badRequest('The form is not valid.')
    form = withField(form, name, value)
    if (name === 'folderId' && form.folderId !== null) await deps.folders.own(form.folderId, o.userId)
  }

  async function takeFile(part: MultipartFile): Promise<void> {
    if (part.fieldname !== o.fieldName) throw badRequest(`Photos are expected in the field "${o.fieldName}".`)
    if (originals.length + refusals.length >= o.maxFiles) {
      throw payloadTooLarge(
        o.maxFiles === 1
          ? 'Only one photo is accepted here.'
          : `At most ${o.maxFiles} photos are accepted in one upload.`,
      )
    }
    const free = await deps.slots.acquire(o.userId)
    try {
      originals.push(await storeOriginal(deps, part, cleanName(part.filename)))
    } catch (error) {
      // Only a refused file was read to its end, so that others can follow.
      if (!(error instanceof AppError) || !part.file.readableEnded) throw error
      refusals.push(error)
    } finally {
      free()
    }
  }

  return { takeField, takeFile, originals, result: (): Received => ({ form, originals, refusals }) }
}

/**
 * Reads a whole multipart upload. A file that is refused harms no other; a refusal of the upload itself (too many
 * files, an unknown folder, a broken form) removes what was stored of it.
 * @throws AppError 400, 404, 413, 503
 */
export async function receiveUpload(deps: ReceivingDeps, request: FastifyRequest, o: Options): Promise<Received> {
  if (!request.isMultipart()) throw badRequest('The upload must be a multipart form.')
  const receiver = createReceiver(deps, o)
  const limits = {
    fileSize: deps.limits.fileBytes + 1,
    fields: MAX_FIELDS,
    parts: MAX_FIELDS + 2 * o.maxFiles,
    headerPairs: 50,
    fieldSize: 65_536,
  }
  let refusal: unknown
  request.raw.setTimeout(deps.stallMs, () => request.raw.destroy())
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
        if (part.type === 'file') part.file.resume()
      }
    }
    if (refusal) throw refusal
    return receiver.result()
  } catch (error) {
    await discard(deps, receiver.originals)
    const reason = refusal ?? error
    throw reason instanceof Error && BROKEN_FORM.test(reason.message) ? badRequest('The form is not complete.') : reason
  } finally {
    request.raw.setTimeout(0)
  }
}
