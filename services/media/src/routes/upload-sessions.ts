import { type App, AppError, errorResponses, invalidFields, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { limitPerUser } from '../limits.ts'
import { completeSession } from '../upload-sessions/complete-session.ts'
import { createSessions } from '../upload-sessions/create-sessions.ts'
import { describeSession, describeWithUrls, readProgress, signParts } from '../upload-sessions/describe-session.ts'
import { unknownSession, uploadBusy, uploadClosed } from '../upload-sessions/errors.ts'
import { endSession } from '../upload-sessions/lease.ts'
import { type ReceivePartDeps, receivePart } from '../upload-sessions/receive-part.ts'
import { countParts, listSessions, readSession, type SessionRow } from '../upload-sessions/rows.ts'
import {
  CreateBody,
  CreateResponse,
  PartParams,
  Session,
  SessionConflictBody,
  SessionParams,
  Sessions,
  Urls,
  UrlsBody,
} from '../upload-sessions/schemas.ts'
import { SinglePhoto } from '../uploads/save-upload.ts'
import { signedIn } from './schemas.ts'

/** Of one user at the same time: they keep the store busy, and limits are checked before sessions are created. */
const REQUESTS_PER_USER = 1
/** The same of requests that end sessions, which wait for each other with connections of the database. */
const ENDINGS_PER_USER = 3
const URLS_PER_USER = 3

const create = {
  summary: 'Creates upload sessions, or returns open ones of the same files with what they still miss',
  body: CreateBody,
  response: { 200: CreateResponse, 201: CreateResponse, ...errorResponses },
}
const list = {
  summary: 'Returns open upload sessions of the user, newest first',
  response: { 200: Sessions, ...errorResponses },
}
const read = {
  summary: 'Returns an upload session with the parts that it misses',
  params: SessionParams,
  response: { 200: Session, ...errorResponses },
}
const urls = {
  summary: 'Signs parts for the object store',
  params: SessionParams,
  body: UrlsBody,
  response: { 200: Urls, 409: SessionConflictBody, ...errorResponses },
}
const complete = {
  summary: 'Makes the photo of the parts; the answer is that of POST /api/upload-photo',
  params: SessionParams,
  response: { 200: SinglePhoto, 201: SinglePhoto, 409: SessionConflictBody, ...errorResponses },
}
const cancel = {
  summary: 'Ends an upload session and removes its parts',
  params: SessionParams,
  response: { 204: Type.Null(), ...errorResponses },
}

/** Photos that arrive in parts, which can be interrupted at any time. */
export function uploadSessionRoutes(app: App, deps: MediaDeps): void {
  const { db, store } = deps
  const requests = limitPerUser({ perKey: REQUESTS_PER_USER, limit: 'upload-sessions-of-user' })
  const endings = limitPerUser({ perKey: ENDINGS_PER_USER, limit: 'upload-session-endings-of-user' })
  const signings = limitPerUser({ perKey: URLS_PER_USER, limit: 'upload-session-urls-of-user' })

  async function findOwn(userId: number, id: string): Promise<SessionRow> {
    const session = await readSession(db, userId, id)
    if (!session) throw unknownSession()
    return session
  }

  app.post('/api/upload-sessions', { ...signedIn, ...requests, schema: create }, async (request, reply) => {
    const { isNew, response } = await createSessions(deps, requireUser(request).userId, request.body)
    return reply.code(isNew ? 201 : 200).send(response)
  })

  app.get('/api/upload-sessions', { ...signedIn, schema: list }, async (request) => {
    const sessions = await listSessions(db, requireUser(request).userId)
    return { sessions: sessions.map((session) => describeSession(session, null)) }
  })

  app.get('/api/upload-sessions/:id', { ...signedIn, ...requests, schema: read }, async (request) => {
    const progress = await readProgress(deps, await findOwn(requireUser(request).userId, request.params.id))
    if (!progress) throw unknownSession()
    return describeWithUrls(store, progress.session, progress.missing)
  })

  app.post('/api/upload-sessions/:id/urls', { ...signedIn, ...signings, schema: urls }, async (request) => {
    const session = await findOwn(requireUser(request).userId, request.params.id)
    if (session.state === 'completing') throw uploadBusy(session.leaseUntil)
    if (session.state !== 'open') throw uploadClosed(session.state)
    const { parts } = request.body
    if (Math.max(...parts) > countParts(session)) {
      throw invalidFields({ parts: 'The file does not have so many parts.' })
    }
    const signed = await signParts(store, session, parts)
    if (!signed) throw new AppError(404, 'not_direct', 'Parts are sent to Skyfolio itself here.')
    return signed
  })

  app.post(
    '/api/upload-sessions/:id/complete',
    { ...signedIn, ...endings, schema: complete },
    async (request, reply) => {
      const { status, photo } = await completeSession(deps, requireUser(request).userId, request.params.id)
      return reply.code(status).send(photo)
    },
  )

  app.delete('/api/upload-sessions/:id', { ...signedIn, ...endings, schema: cancel }, async (request, reply) => {
    await endSession(deps, requireUser(request).userId, request.params.id)
    return reply.code(204).send(null)
  })
}

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
