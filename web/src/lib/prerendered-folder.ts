/** What a public folder is, as the gateway wrote it into the page. */
export interface PrerenderedFolder {
  name: string
  description: string | null
  /** '24 photos'. */
  count: string
}

let read: { path: string; sight: PrerenderedFolder | null } | null = null

/**
 * Keeps what the page said before the application takes its place: screens show it until their data are there. Call it
 * once, before the first render.
 */
export function readPrerenderedFolder(root: HTMLElement): void {
  const textOf = (part: string) => root.querySelector(`[data-sight="${part}"]`)?.textContent ?? null
  const [name, count] = [textOf('name'), textOf('count')]
  const sight = name !== null && count !== null ? { name, count, description: textOf('description') } : null
  read = { path: location.pathname, sight }
}

/** What the page that was opened said of its folder; null on other pages, and for folders that it could not show. */
export function prerenderedFolder(): PrerenderedFolder | null {
  return read?.path === location.pathname ? read.sight : null
}
