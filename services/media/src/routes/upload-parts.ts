import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { type ReceivePartDeps, receivePart } from '../upload-sessions/receive-part.ts'
import { PartParams, SessionConflictBody } from '../upload-sessions/schemas.ts'
import { signedIn } from './schemas.ts'

const putPart = {
  summary: 'Stores a part',
  consumes: ['application/octet-stream'],
  params: PartParams,
  response: { 204: Type.Null(), 409: SessionConflictBody, ...errorResponses },
}

/** Parts of upload sessions. They have a scope of their own, in which no body is parsed. */
export function uploadPartRoutes(app: App, deps: Omit<ReceivePartDeps, 'ending'>): void {
  app.register(async (unparsed) => {
    const scope = unparsed as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.put('/api/upload-sessions/:id/parts/:number', { ...signedIn, schema: putPart }, async (request, reply) => {
      const { userId } = requireUser(request)
      await receivePart({ ...deps, ending: app.ending }, request.raw, { userId, ...request.params })
      return reply.code(204).send(null)
    })
  })
}
