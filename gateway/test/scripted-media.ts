import { once } from 'node:events'
import { type App, batchRoute, buildServer, createLogger, type Identity, notFound } from '@skyfolio/kit'
import { TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { Type } from 'typebox'

interface PictureState {
  object: string | null
  size: number | null
  headers: Record<string, string>
  ageMs: number
  tookMs: number
}

export const PUBLIC_CACHE_CONTROL = 'public, max-age=0, s-maxage=1, must-revalidate'

/** What a confirmation says of a rendition with this stored name. */
export function stateOf(object: string | null, changes: Partial<PictureState> = {}): PictureState {
  const headers = {
    etag: `"tag of ${object}"`,
    'cache-control': PUBLIC_CACHE_CONTROL,
    'content-type': 'image/webp',
    'content-disposition': 'inline; filename="picture.webp"',
  }
  return { object, size: null, headers, ageMs: 0, tookMs: 0, ...changes }
}

/**
 * A media service whose confirmations and bytes a test determines: for what the real one cannot be made to do. It records
 * which requests it gets.
 */
export async function startScriptedMedia(port = 0) {
  const app: App = await buildServer({
    name: 'media',
    logger: createLogger('media', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
  })
  const script = {
    confirm: async (filename: string, _viewer: Identity): Promise<PictureState> => stateOf(filename),
    load: async (storedName: string): Promise<Buffer | null> => Buffer.from(`bytes of ${storedName}`),
  }
  const seen = { confirmed: [] as string[], viewers: [] as (number | null)[], loaded: [] as string[], streamed: 0 }
  let closedLoads = 0

  batchRoute(app, TEST_IDENTITY_KEYS, {
    method: 'GET',
    url: '/picture-states/:filename',
    config: { access: 'public' },
    schema: { summary: 'State', params: Type.Object({ filename: Type.String() }), response: { 200: Type.Unknown() } },
    async handler({ params, identity }) {
      seen.confirmed.push(params.filename)
      seen.viewers.push(identity.userId)
      return { body: await script.confirm(params.filename, identity) }
    },
  })
  app.get<{ Params: { name: string } }>('/picture-bytes/:name', { config: { access: 'public' } }, async (request) => {
    const { name } = request.params
    seen.loaded.push(name)
    request.raw.once('close', () => {
      closedLoads += 1
    })
    const bytes = await script.load(name)
    if (!bytes) throw notFound()
    return bytes
  })
  app.get('/api/uploads/:filename', { config: { access: 'public' } }, async (request, reply) => {
    seen.streamed += 1
    return reply.headers({ 'cache-control': 'private, no-cache' }).send(`streamed ${request.method} ${request.url}`)
  })
  const url = await app.listen({ port, host: '127.0.0.1' })

  return {
    app,
    url,
    script,
    seen,
    closedLoads: () => closedLoads,
    async close() {
      app.server.closeAllConnections()
      const closed = once(app.server, 'close')
      void app.close()
      await closed
    },
  }
}

export type ScriptedMedia = Awaited<ReturnType<typeof startScriptedMedia>>
