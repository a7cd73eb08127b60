/** The texts of a public folder that the gateway rendered into the page. */
export interface PrerenderedFolder {
  name: string
  description: string | null
  /** '24 photos'. */
  count: string
}

let read: { path: string; folder: PrerenderedFolder | null } | null = null

/**
 * Reads the prerendered texts before the application replaces them; screens show them until their data are loaded. Call
 * it once, before the first render.
 */
export function readPrerenderedFolder(root: HTMLElement): void {
  const textOf = (part: string) => root.querySelector(`[data-prerendered="${part}"]`)?.textContent ?? null
  const [name, count] = [textOf('name'), textOf('count')]
  const folder = name !== null && count !== null ? { name, count, description: textOf('description') } : null
  read = { path: location.pathname, folder }
}

/** The prerendered texts of the page that was opened; null on other pages, and without prerendered texts. */
export function prerenderedFolder(): PrerenderedFolder | null {
  return read?.path === location.pathname ? read.folder : null
}
