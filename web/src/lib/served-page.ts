/**
 * Whether the gateway sent this page to a browser without a session cookie: then nobody is signed in, and asking would
 * end in an error that browsers log. True once at most, since somebody may sign in later. A page from the history may
 * come from the cache and be older than a session, so it says nothing.
 */
export function takeVisitorMark(): boolean {
  const isMarked = hasVisitorMark()
  delete document.documentElement.dataset.visitor
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return isMarked && (navigation?.type === 'navigate' || navigation?.type === 'reload')
}

/** Whether this is the voting page in a frame of another site. */
export const isEmbedded = Boolean(globalThis.location?.pathname.startsWith('/embed/'))

/** Whether the page came to a browser without a session cookie, however old the page is. */
export function hasVisitorMark(): boolean {
  return document.documentElement.dataset.visitor !== undefined
}

/** The picture of a photo that the gateway rendered into the page, and the renditions that it was chosen from. */
interface PrerenderedPicture {
  src: string
  srcSet: string
  sizes: string
  alt: string
}

/** What the gateway rendered of a public folder into the page. */
interface PrerenderedFolder {
  name: string
  description: string | null
  photographer: string | null
  /** '24 photos'. */
  count: string
  /** The cover that the owner has chosen. */
  cover: PrerenderedPicture | null
  /** Of the first row of the widest window; null: the photo has none. */
  pictures: (PrerenderedPicture | null)[]
}

let read: { path: string; folder: PrerenderedFolder | null } | null = null

/**
 * Reads the prerendered folder before the application replaces it; screens show it until their data are loaded. Call it
 * once, before the first render.
 */
export function readPrerenderedFolder(root: HTMLElement): void {
  const textOf = (part: string) => root.querySelector(`[data-prerendered="${part}"]`)?.textContent ?? null
  const [name, count] = [textOf('name'), textOf('count')]
  const pictures = [...root.querySelectorAll('li')].map(pictureIn)
  const photographer = textOf('photographer')?.replace('Photos by ', '') ?? null
  const cover = pictureIn(root.querySelector('[data-cover]'))
  const known = { description: textOf('description'), photographer, cover, pictures }
  const folder = name !== null && count !== null ? { name, count, ...known } : null
  read = { path: location.pathname, folder }
}

function pictureIn(item: Element | null): PrerenderedPicture | null {
  const image = item?.querySelector('img')
  if (!image) return null
  const [src, srcSet, sizes] = ['src', 'srcset', 'sizes'].map((name) => image.getAttribute(name) ?? '')
  return { src: src ?? '', srcSet: srcSet ?? '', sizes: sizes ?? '', alt: image.alt }
}

/** Nothing of it is to be shown any more: its link is locked. */
export function forgetPrerenderedFolder(): void {
  read = null
}

/** The prerendered folder of the page that was opened; null on other pages, and without one. */
export function prerenderedFolder(): PrerenderedFolder | null {
  return read?.path === location.pathname ? read.folder : null
}
