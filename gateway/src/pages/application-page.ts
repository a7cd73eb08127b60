import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { matchesEntityTag, readCookie, SESSION_COOKIE } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signInFileLinks } from './sign-in-files.ts'

/**
 * The web application's page. To a browser without a session cookie it says so, which saves the application the question
 * who is signed in (web/src/lib/visitors-page.ts). A cookie says nothing: its session may have ended.
 */
export async function readApplicationPage(request: FastifyRequest, webRoot: string): Promise<string> {
  const page = await readFile(join(webRoot, 'index.html'), 'utf8')
  const isVisitor = readCookie(request.headers.cookie, SESSION_COOKIE) === null
  const [path = ''] = request.url.split('?', 1)
  const links = await signInFileLinks(webRoot, path, isVisitor)
  const linked = page.replace('</title>', () => `</title>${links}`)
  return isVisitor ? linked.replace('<html', '<html data-visitor') : linked
}

/** Sends a page that depends on the session cookie: no shared cache may keep it, and browsers revalidate it (ETag). */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  reply.header('cache-control', 'private, no-cache').header('vary', 'cookie').header('etag', etag)
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page)
}
