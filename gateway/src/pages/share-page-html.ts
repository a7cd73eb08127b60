import {
  type App,
  CARD,
  GATEWAY_HEADER,
  IDENTITY_HEADER,
  SESSION_COOKIE,
  signIdentity,
  visitorIdentity,
  withoutCookie,
} from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'
import { allowFrames } from '../security-headers.ts'
import { escapeHtml, readApplicationPage, sendPage } from './application-page.ts'
import { altText, type CardPhoto, coverPicture, pictureList, preloadLinks } from './first-pictures.ts'

/** What the folders service returns for a link of a public folder. */
interface ShareCard {
  /** The main link has the pages of all kinds, another one that of its kind. */
  main: boolean
  kind: keyof typeof SCREENS
  /** The sites whose pages may show it in a frame. */
  embedOrigins: string[]
  name: string
  description: string | null
  photographer: string | null
  photos: number
  /** A photo of which there is a picture for previews of the link, with the path of that. */
  cover: (Pick<CardPhoto, 'title' | 'city' | 'state'> & { url: string }) | null
  /** The cover, if the owner has chosen one. */
  chosen: CardPhoto | null
  /** The first photos in their order. */
  pictures: CardPhoto[]
}

export interface SharePageDeps {
  webRoot: string
  publicOrigin: string
  foldersUrl: string
  identityKeys: string[]
  limits: Limits
}

/** How long a page waits for its card; without a card it is the application's plain page. */
const CARD_TIMEOUT_MS = 500
/** As the application shows it. */
const VIEW_ONLY_HINT =
  '<div data-above-pictures="hint">Browse the drone photos in this collection. Click on any photo to view more details.</div>'
const SHARE_CODE = /^[\w-]{1,64}$/
const SCREENS = { vote: 'share', view: 'viewer', browse: 'browse' }

/**
 * The pages of public folders: the application's page with the folder's name, description and photo count, as text that
 * is readable before the application has loaded and as Open Graph tags with one image for link previews, and with the
 * pictures of the first row. Nothing is cached, so that a folder that becomes private disappears at once. A link whose
 * password was not entered has the application's plain page.
 */
export function sharePageRoutes(app: App, deps: SharePageDeps): void {
  for (const screen of Object.values(SCREENS)) {
    app.get<{ Params: { shareCode: string } }>(
      `/${screen}/:shareCode`,
      { config: { access: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        // Anybody with the link may read the page, but search engines must not list it.
        reply.header('x-robots-tag', 'noindex')
        const card = await readCard(request, deps, withoutCookie(request.headers.cookie, SESSION_COOKIE))
        const page = await readApplicationPage(request, deps.webRoot)
        if (!card || !(card.main || SCREENS[card.kind] === screen)) return sendPage(request, reply, page)
        const { publicOrigin: origin } = deps
        const path = `/${screen}/${request.params.shareCode}`
        return sendPage(request, reply, addCard(page, card, { origin, path, voting: screen === 'share' }))
      },
    )
  }
  embeddedPageRoute(app, deps)
}

/**
 * The voting page for a frame of the sites that the owner has listed for the link. It is a visitor's, whatever cookies came,
 * and is never kept, so that a site that was removed from the list does not show it again.
 */
function embeddedPageRoute(app: App, deps: SharePageDeps): void {
  const https = deps.publicOrigin.startsWith('https:')
  app.get<{ Params: { shareCode: string } }>(
    '/embed/:shareCode',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      reply.header('x-robots-tag', 'noindex').header('cache-control', 'no-store').type('text/html; charset=utf-8')
      const page = await readApplicationPage({ headers: {} }, deps.webRoot)
      const card = https ? await readCard(request, deps, undefined) : null
      if (card?.kind !== 'vote' || card.embedOrigins.length === 0) return reply.code(404).send(page)
      allowFrames(reply, card.embedOrigins)
      const path = `/share/${request.params.shareCode}`
      return reply.send(addCard(page, card, { origin: deps.publicOrigin, path, voting: true }))
    },
  )
}

/** @param cookie says which passwords were entered */
async function readCard(
  request: FastifyRequest<{ Params: { shareCode: string } }>,
  deps: SharePageDeps,
  cookie: string | undefined,
): Promise<ShareCard | null> {
  if (!SHARE_CODE.test(request.params.shareCode)) return null
  try {
    deps.limits.checkRequest(request)
    const response = await fetch(`${deps.foldersUrl}/share-cards/${request.params.shareCode}`, {
      headers: {
        [IDENTITY_HEADER]: signIdentity(visitorIdentity(request.ip), deps.identityKeys),
        [GATEWAY_HEADER]: 'page',
        ...(cookie && { cookie }),
      },
      signal: AbortSignal.timeout(CARD_TIMEOUT_MS),
    })
    return response.ok ? ((await response.json()) as ShareCard) : null
  } catch {
    return null // The application itself shows what is wrong.
  }
}

interface PageAddress {
  /** Crawlers need absolute URLs. */
  origin: string
  path: string
  /** The voting page, not a view-only one. */
  voting: boolean
}

/** Adds the folder's card to the page. */
function addCard(page: string, card: ShareCard, { origin, path, voting }: PageAddress): string {
  const count = `${card.photos.toLocaleString('en-US')} ${card.photos === 1 ? 'photo' : 'photos'}`
  const description = card.description || (card.photographer ? `${count} by ${card.photographer}` : count)
  const tags = [
    `<title>${escapeHtml(card.name)} · Skyfolio</title>`,
    meta('name', 'description', description),
    meta('property', 'og:site_name', 'Skyfolio'),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:title', card.name),
    meta('property', 'og:description', description),
    meta('property', 'og:url', `${origin}${path}`),
    ...(card.cover ? imageTags(card.cover, origin) : []),
    meta('name', 'twitter:card', card.cover ? 'summary_large_image' : 'summary'),
  ]
  const texts = [
    `<h1 data-prerendered="name">${escapeHtml(card.name)}</h1>`,
    card.photographer && `<p data-prerendered="photographer">Photos by ${escapeHtml(card.photographer)}</p>`,
    card.description && `<p data-prerendered="description">${escapeHtml(card.description)}</p>`,
    `<p data-prerendered="count">${count}</p>`,
  ]
  // The application shows something between the texts and the pictures: the visitor's ranks, or a hint.
  if (card.pictures.length > 0 && !voting) texts.push(VIEW_ONLY_HINT)
  const ranks = card.pictures.length > 0 && voting ? '<div data-above-pictures="ranks"></div>' : ''
  const cover = voting && card.chosen ? coverPicture(card.chosen) : ''
  const head = `<div${cover && ' data-cover'}>${cover}<div>${texts.filter(Boolean).join('')}</div></div>`
  const content = `<header>${head}${ranks}</header>${pictureList(card.pictures)}`
  return page
    .replace(/<meta name="description"[^>]*>\s*/, '')
    .replace(/<title>[^<]*<\/title>/, () => [...tags, ...preloadLinks(card.pictures)].filter(Boolean).join('\n    '))
    .replace('<div id="root"></div>', () => `<div id="root"><main class="prerendered-folder">${content}</main></div>`)
}

function imageTags(cover: NonNullable<ShareCard['cover']>, origin: string): string[] {
  return [
    meta('property', 'og:image', `${origin}${cover.url}`),
    meta('property', 'og:image:type', 'image/jpeg'),
    meta('property', 'og:image:width', String(CARD.width)),
    meta('property', 'og:image:height', String(CARD.height)),
    meta('property', 'og:image:alt', altText(cover)),
  ]
}

function meta(key: 'name' | 'property', name: string, content: string): string {
  return `<meta ${key}="${name}" content="${escapeHtml(content)}" />`
}
