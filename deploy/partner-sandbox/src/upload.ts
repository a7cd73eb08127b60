import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer } from './answers.ts'
import { type Exchange, sendAnswer, serve } from './exchange.ts'
import { CONTAINER } from './orders/blobs.ts'
import type { SandboxState } from './state/state.ts'

const MAX_IMAGE_BYTES = 32 * 1024 * 1024
const PATH = `/${CONTAINER}/:name`

/** The partner's container: `PUT /qpcontainerin/Image-{affId}-{uuid}.jpg?{signature}`. It cannot be read back. */
export function addUploadRoutes(app: FastifyInstance, state: SandboxState): void {
  app.get(PATH, (_request, reply) => sendAnswer(reply, storageError(403, 'AuthorizationPermissionMismatch')))
  app.put(PATH, { bodyLimit: MAX_IMAGE_BYTES }, (request, reply) => serve(state, 'upload', { request, reply }, upload))
}

async function upload({ state, request }: Exchange): Promise<Answer> {
  const { name } = request.params as { name: string }
  const rejection = state.blobs.rejection(request.query as Record<string, string>, state.clock.now())
  if (rejection) return storageError(403, 'AuthenticationFailed', rejection)
  if (!/^Image-[\w.-]{1,150}\.jpg$/.test(name)) return storageError(400, 'InvalidUri')
  const missing = missingHeader(request)
  if (missing) return storageError(400, 'MissingRequiredHeader', missing)
  if (!(request.body instanceof Buffer)) return storageError(411, 'MissingContentLengthHeader')
  state.blobs.put(name, request.body)
  return { status: 201, type: 'application/xml', body: '' }
}

function missingHeader({ headers }: FastifyRequest): string | undefined {
  if (headers['x-ms-blob-type'] !== 'BlockBlob') return 'x-ms-blob-type'
  return ['content-type', 'content-length', 'x-ms-client-request-id'].find((name) => !headers[name])
}

function storageError(status: number, code: string, message = code): Answer {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return { status, type: 'application/xml', body }
}
