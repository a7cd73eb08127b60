import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentVersion, matchesEntityTag, readCookie, SESSION_COOKIE } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'

/**
 * The web application's page. To a browser without a session cookie it says so, which saves the application the question
 * who is signed in (web/src/lib/served-page.ts). A cookie says nothing: its session may have ended.
 */
export async function readApplicationPage(request: Pick<FastifyRequest, 'headers'>, webRoot: string): Promise<string> {
  const page = await readFile(join(webRoot, 'index.html'), 'utf8')
  if (builtPage?.page !== page) builtPage = { page, linked: await addScriptLinks(page, webRoot) }
  const { linked } = builtPage
  const isVisitor = readCookie(request.headers.cookie, SESSION_COOKIE) === null
  return isVisitor ? linked.replace('<html', '<html data-visitor') : linked
}

/** The page that was built last, without and with the links to the application's scripts. */
let builtPage: { page: string; linked: string } | undefined

/** A chunk of Vite's manifest: `imports` are keys of the manifest. */
interface Chunk {
  file: string
  name: string
  imports?: string[]
}

/**
 * Lets browsers load the application's scripts, which the manifest of the build names, beside the entry, which imports them when it runs.
 * The code of screens gets no link: it would delay the start. Without the manifest pages are only slower.
 */
async function addScriptLinks(page: string, webRoot: string): Promise<string> {
  const text = await readFile(join(webRoot, '.vite/manifest.json'), 'utf8').catch(() => '{}')
  const manifest = JSON.parse(text) as Record<string, Chunk>
  const application = Object.values(manifest).find(({ name }) => name === 'application')
  if (!application) return page
  const files = [application.file, ...(application.imports ?? []).map((key) => manifest[key]?.file ?? '')]
  const links = files
    .filter((file) => !page.includes(file))
    .map((file) => `<link rel="modulepreload" crossorigin href="/${file}" />`)
  return page.replace('</title>', () => `</title>${links.join('')}`)
}

/** Sends a page that depends on the session cookie: no shared cache may keep it, and browsers revalidate it (ETag). */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const etag = `"${contentVersion(page)}"`
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
