import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The pages of web/src/pages that people open first, by their paths (web/src/app/router.tsx). */
const PAGES: [path: RegExp, page: string][] = [
  [/^\/auth$/, 'auth'],
  [/^\/(upload|folders)?$/, 'home'],
  [/^\/folders\/\d+$/, 'folder'],
  [/^\/flights$/, 'flights'],
  [/^\/orders$/, 'orders'],
  [/^\/profile$/, 'profile'],
]

/**
 * Tags that let the browser load the scripts of the page at this path beside those that every page starts with, which import them
 * when they run. None for other pages. A visitor gets the sign-in form instead of a user's page.
 */
export async function screenFileLinks(webRoot: string, path: string, isVisitor: boolean): Promise<string> {
  const found = PAGES.find(([pattern]) => pattern.test(path))
  if (!found) return ''
  const screens = JSON.parse(await readFile(join(webRoot, 'screens.json'), 'utf8')) as Record<string, string[]>
  const files = screens[isVisitor ? 'auth' : found[1]] ?? []
  return files.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`).join('')
}
