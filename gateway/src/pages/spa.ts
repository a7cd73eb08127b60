import fastifyStatic from '@fastify/static'
import type { App } from '@skyfolio/kit'
import { readApplicationPage, sendPage } from './application-page.ts'
import { type SharePageDeps, sharePageRoutes } from './share-page-html.ts'

const IMMUTABLE = { immutable: true, maxAge: '1y' } as const
const REVALIDATED = { cacheControl: false } as const

/**
 * Serves the built web application. Files under /assets have a content hash in their name and are cached as immutable;
 * everything else is revalidated (ETag). A path without a file extension is a page: the application routes it.
 */
export async function spaRoutes(app: App, deps: SharePageDeps): Promise<void> {
  await app.register(fastifyStatic, { root: deps.webRoot, serve: false, preCompressed: true, index: false })
  const config = { access: 'public' as const }
  const schema = { hide: true }

  // Operator endpoints have a port of their own: a page here would tell a load balancer that the process is healthy.
  for (const path of ['/api/*', '/livez', '/readyz', '/metrics'])
    app.all(path, { config: { ...config, whileDeleting: true }, schema }, (_request, reply) => reply.callNotFound())

  sharePageRoutes(app, deps)

  app.get<{ Params: { '*': string } }>('/assets/*', { config, schema }, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`, IMMUTABLE),
  )

  app.get<{ Params: { '*': string } }>('/*', { config, schema }, async (request, reply) => {
    const path = request.params['*']
    const isFile = path.slice(path.lastIndexOf('/') + 1).includes('.')
    if (isFile) return reply.header('cache-control', 'no-cache').sendFile(path, REVALIDATED)
    return sendPage(request, reply, await readApplicationPage(request, deps.webRoot))
  })
}
