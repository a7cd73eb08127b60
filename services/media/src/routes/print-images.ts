import { type App, errorFieldResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { savePrintUpload } from '../print-images/save-upload.ts'
import { signedIn } from './schemas.ts'

const uploadImage = {
  summary: 'Converts an image for a print order, and returns a URL at which anybody can fetch it until it expires',
  consumes: ['multipart/form-data'],
  body: Type.Object({
    image: Type.String({ contentMediaType: 'application/octet-stream', description: 'A JPEG or PNG' }),
  }),
  response: {
    201: Type.Object({
      filename: Type.String({ description: 'Signed: the name of the file at /api/uploads/' }),
      url: Type.String(),
      expiresAt: Type.String({ format: 'date-time' }),
      width: Type.Integer({ description: 'Pixels of the converted image' }),
      height: Type.Integer(),
    }),
    ...errorFieldResponses,
  },
}
/** The parts of the form are validated while they are received. */
const streamed = { ...signedIn, validatorCompiler: () => () => true }

/** Images of print orders. Those of the user's photos are rendered at the request of print-orders, over NATS. */
export function printImageRoutes(app: App, deps: MediaDeps): void {
  app.post('/api/walgreens/upload-image', { ...streamed, schema: uploadImage }, async (request, reply) => {
    const { userId } = requireUser(request)
    return reply.code(201).send(await savePrintUpload(deps, request, userId))
  })
}
