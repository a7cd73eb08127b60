import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type App, IDENTITY_HEADER, signIdentity } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'

/** What folders says of a public folder. */
interface ShareCard {
  name: string
  description: string | null
  photos: number
  /** The path of its newest picture. */
  picture: string | null
}

export interface PublicPagesOptions {
  webRoot: string
  publicOrigin: string
  foldersUrl: string
  identityKeys: string[]
  limits: Limits
}

/** Whoever opens the page waits no longer for its card; without it the page is the application's plain one. */
const patienceMs = 500
const shareCode = /^[\w-]{1,64}$/

/**
 * The pages of public folders: the application's page with the folder's name, description and count, which can be read
 * before the application has come, and as Open Graph tags with one picture for the previews of messengers. Nothing is
 * kept, so that a folder that has become private is gone at once.
 */
export function publicPages(app: App, o: PublicPagesOptions, sendPlain: (reply: FastifyReply) => FastifyReply): void {
  for (const screen of ['share', 'viewer', 'browse']) {
    app.get<{ Params: { shareCode: string } }>(
      `/${screen}/:shareCode`,
      { config: { access: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        // Whoever has the link may read, but search engines do not hand it out.
        reply.header('x-robots-tag', 'noindex')
        const card = await readCard(request, o)
        if (!card) return sendPlain(reply)
        const page = await readFile(join(o.webRoot, 'index.html'), 'utf8')
        const address = `${o.publicOrigin}/${screen}/${request.params.shareCode}`
        return sendPage(request, reply, withCard(page, card, o.publicOrigin, address))
      },
    )
  }
}

async function readCard(
  request: FastifyRequest<{ Params: { shareCode: string } }>,
  o: PublicPagesOptions,
): Promise<ShareCard | null> {
  if (!shareCode.test(request.params.shareCode)) return null
  const visitor = { userId: null, username: null, isAdmin: false, sessionHash: null, address: request.ip }
  try {
    o.limits.request(request)
    const response = await fetch(`${o.foldersUrl}/share-cards/${request.params.shareCode}`, {
      headers: { [IDENTITY_HEADER]: signIdentity(visitor, o.identityKeys) },
      signal: AbortSignal.timeout(patienceMs),
    })
    return response.ok ? ((await response.json()) as ShareCard) : null
  } catch {
    return null // The application itself says what is wrong.
  }
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  reply.header('cache-control', 'private, no-cache').header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page)
}

/** The page with what is known of the folder. @param origin Crawlers want whole addresses */
function withCard(page: string, card: ShareCard, origin: string, address: string): string {
  const count = `${card.photos.toLocaleString('en-US')} ${card.photos === 1 ? 'photo' : 'photos'}`
  const description = card.description || count
  const tags = [
    `<title>${escaped(card.name)} · Skyfolio</title>`,
    meta('name', 'description', description),
    meta('property', 'og:site_name', 'Skyfolio'),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:title', card.name),
    meta('property', 'og:description', description),
    meta('property', 'og:url', address),
    card.picture && meta('property', 'og:image', `${origin}${card.picture}`),
    meta('name', 'twitter:card', card.picture ? 'summary_large_image' : 'summary'),
  ]
  const text = [
    `<h1 data-sight="name">${escaped(card.name)}</h1>`,
    card.description && `<p data-sight="description">${escaped(card.description)}</p>`,
    `<p data-sight="count">${count}</p>`,
  ]
  return page
    .replace(/<meta name="description"[^>]*>\s*/, '')
    .replace(/<title>[^<]*<\/title>/, () => tags.filter(Boolean).join('\n    '))
    .replace(
      '<div id="root"></div>',
      () => `<div id="root"><main class="first-sight">${text.filter(Boolean).join('')}</main></div>`,
    )
}

function meta(key: 'name' | 'property', name: string, content: string): string {
  return `<meta ${key}="${name}" content="${escaped(content)}" />`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
