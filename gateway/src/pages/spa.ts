import fastifyStatic from '@fastify/static'
import type { App } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { type PublicPagesOptions, publicPages } from './public-pages.ts'

const hashed = { immutable: true, maxAge: '1y' } as const
const revalidated = { cacheControl: false } as const

/**
 * The built web application. Files under /assets carry a hash of their content in the name and may be kept for
 * ever; all else is asked for anew (ETag). A path without a file ending is a page: the application routes it.
 */
export async function spaRoutes(app: App, o: PublicPagesOptions): Promise<void> {
  await app.register(fastifyStatic, { root: o.webRoot, serve: false, preCompressed: true, index: false })
  const config = { access: 'public' as const }
  const schema = { hide: true }

  // What is for operators stands on a port of its own: a page here would tell a load balancer that all is well.
  for (const path of ['/api/*', '/livez', '/readyz', '/metrics'])
    app.all(path, { config, schema }, (_request, reply) => reply.callNotFound())

  publicPages(app, o, (reply) => sendRevalidated(reply, 'index.html'))

  app.get<{ Params: { '*': string } }>('/assets/*', { config, schema }, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`, hashed),
  )

  app.get<{ Params: { '*': string } }>('/*', { config, schema }, (request, reply) => {
    const path = request.params['*']
    const isFile = path.slice(path.lastIndexOf('/') + 1).includes('.')
    return sendRevalidated(reply, isFile ? path : 'index.html')
  })
}

function sendRevalidated(reply: FastifyReply, file: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').sendFile(file, revalidated)
}
