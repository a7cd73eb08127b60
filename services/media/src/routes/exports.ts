import { finished } from 'node:stream'
import { type App, errorResponses, type FairQueue, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { sendArchive } from '../archives/send-archive.ts'
import type { MediaDeps } from '../deps.ts'
import { lacksOriginals, openExportArchive } from '../exports/export-archive.ts'
import {
  ExportSchema,
  exportOutdated,
  findExport,
  markOutdated,
  OUTDATED,
  requestExport,
  toExportResponse,
} from '../exports/export-rows.ts'
import { parseRange } from '../files/responses.ts'
import type { Export } from '../generated/client.ts'
import { signedIn } from './schemas.ts'

const request = {
  summary: 'Requests an export of all that the user has; a ready one is replaced with `renew`',
  body: Type.Optional(Type.Union([Type.Null(), Type.Object({ renew: Type.Optional(Type.Boolean()) })])),
  response: { 202: ExportSchema, ...errorResponses },
}
const status = { summary: "Returns the state of the user's export", response: { 200: ExportSchema, ...errorResponses } }
const download = {
  summary: 'Sends the archive of the own export, made while it is sent; with ranges. 410: photos were deleted since',
  params: Type.Object({ id: Type.String() }),
  response: errorResponses,
}

/** The export of a user's data. */
export function exportRoutes(app: App, deps: MediaDeps, archives: FairQueue): void {
  const { db, store } = deps

  app.post('/api/user/export', { ...signedIn, schema: request }, async (request, reply) => {
    const { userId } = requireUser(request)
    const row = await requestExport(db, userId, request.body?.renew === true)
    if (row.status === 'preparing') deps.enqueue('exports', [row])
    return reply.code(202).send(toExportResponse(row))
  })

  app.get('/api/user/export', { ...signedIn, schema: status }, async (request) => {
    const { userId } = requireUser(request)
    const row = await findExport(db, userId)
    if (row?.status !== 'ready' || !(await lacksOriginals(db, row.id, 0))) return toExportResponse(row)
    // The page can say so; the response to a download is shown by no page.
    await markOutdated(db, row.id)
    return toExportResponse(await findExport(db, userId))
  })

  app.get('/api/user/export/:id', { ...signedIn, schema: download }, async (request, reply) => {
    const { userId } = requireUser(request)
    const row = await findOwn(request.params.id, userId)
    const archive = openExportArchive(db, row)
    const range = parseRange(request.headers.range, archive.size)
    const start = range === null || range === 'unsatisfiable' ? 0 : range.start
    if (await lacksOriginals(db, row.id, start)) throw await markOutdated(db, row.id)
    // At once when the client has gone meanwhile.
    if (request.method === 'GET') finished(reply.raw, await archives.acquire({ key: userId }))
    const day = row.createdAt.toISOString().slice(0, 10)
    return sendArchive(request, reply, store, {
      archive,
      etag: `"${row.id}"`,
      filename: `skyfolio-export-${day}.zip`,
      missing: () => markOutdated(db, row.id),
    })
  })

  /** @throws AppError 404, 410 */
  async function findOwn(id: string, userId: number): Promise<Export> {
    const row = await findExport(db, userId)
    if (row?.id !== id || row.status === 'preparing') throw notFound('There is no such export.')
    if (row.status === 'failed')
      throw row.statusMessage === OUTDATED ? exportOutdated() : notFound('There is no such export.')
    return row
  }
}
