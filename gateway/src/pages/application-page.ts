import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { matchesEntityTag, readCookie, SESSION_COOKIE } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'

/**
 * The web application's page. To a browser without a session cookie it says so, which saves the application the question
 * who is signed in (web/src/lib/served-page.ts). A cookie says nothing: its session may have ended.
 */
export async function readApplicationPage(request: FastifyRequest, webRoot: string): Promise<string> {
  const page = await readFile(join(webRoot, 'index.html'), 'utf8')
  if (builtPage?.page !== page) builtPage = { page, ...(await readScriptLinks(webRoot)) }
  const { application, signIn } = builtPage
  const isVisitor = readCookie(request.headers.cookie, SESSION_COOKIE) === null
  const [path = ''] = request.url.split('?', 1)
  const needsSignIn = SIGN_IN.test(path) || (isVisitor && SCREEN_OF_USERS.test(path))
  const linked = page.replace('</title>', () => `</title>${application}${needsSignIn ? signIn : ''}`)
  return isVisitor ? linked.replace('<html', '<html data-visitor') : linked
}

/** The page that was built last, and the tags that let browsers load more scripts beside its entry, which imports them when it runs. */
let builtPage: { page: string; application: string; signIn: string } | undefined

/** The sign-in form and, for visitors, the screens of users (web/src/app/router.tsx), which send them there. */
const SIGN_IN = /^\/auth$/
const SCREEN_OF_USERS = /^\/((upload|folders|flights|orders|metadata|profile|admin)(\/|$)|$)/

/** A chunk of Vite's manifest: `imports` are keys of the manifest. */
interface Chunk {
  file: string
  name: string
  isEntry?: boolean
  imports?: string[]
}

/**
 * The tags for the scripts of the application and of the sign-in form, from the manifest of the build. The screens of users get none: they
 * have several times as many, which would delay the start. Without the manifest pages are only slower.
 */
async function readScriptLinks(webRoot: string): Promise<{ application: string; signIn: string }> {
  const text = await readFile(join(webRoot, '.vite/manifest.json'), 'utf8').catch(() => '{}')
  const manifest = JSON.parse(text) as Record<string, Chunk>
  const linked = new Set<string>()

  /** Adds the files of a chunk and of all that it imports statically. */
  function linksOf(chunk: Chunk | undefined): string {
    if (!chunk || linked.has(chunk.file)) return ''
    linked.add(chunk.file)
    const own = `<link rel="modulepreload" crossorigin href="/${chunk.file}" />`
    return own + (chunk.imports ?? []).map((key) => linksOf(manifest[key])).join('')
  }

  const chunks = Object.values(manifest)
  linksOf(chunks.find(({ isEntry }) => isEntry)) // The page has them already.
  const application = linksOf(chunks.find(({ name }) => name === 'application'))
  return { application, signIn: linksOf(chunks.find(({ name }) => name === 'auth-page')) }
}

/** Sends a page that depends on the session cookie: no shared cache may keep it, and browsers revalidate it (ETag). */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  reply.header('cache-control', 'private, no-cache').header('vary', 'cookie').header('etag', etag)
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page)
}

/** Checks the limit of pages and files. Who opens a page reads a sentence in place of JSON. @throws 429 */
export function checkPageLimit(request: FastifyRequest, reply: FastifyReply, limits: Limits): void {
  try {
    limits.checkPage(request)
  } catch (error) {
    if (request.headers.accept?.includes('text/html')) sendErrorAsPage(reply)
    throw error
  }
}

function sendErrorAsPage(reply: FastifyReply): void {
  reply.serializer((body: { message: string }) => {
    // Fastify removes the type that is set before an error.
    reply.type('text/html; charset=utf-8')
    return renderSentence(body.message)
  })
}

function renderSentence(sentence: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Skyfolio</title>
<p>${escapeHtml(sentence)}</p>
</html>
`
}

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for the content of an element and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character)
}
