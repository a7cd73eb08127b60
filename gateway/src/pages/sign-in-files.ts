import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The sign-in form and, for visitors, the screens of users (web/src/app/router.tsx), which send them there. */
const SIGN_IN = /^\/auth$/
const SCREEN_OF_USERS = /^\/((upload|folders|flights|orders|metadata|profile|admin)(\/|$)|$)/

/**
 * Tags that let browsers load the scripts of the sign-in form beside those that every page starts with, which import them when they
 * run. Not for the screens of users: they have several times as many, which would delay the start.
 */
export async function signInFileLinks(webRoot: string, path: string, isVisitor: boolean): Promise<string> {
  if (!SIGN_IN.test(path) && !(isVisitor && SCREEN_OF_USERS.test(path))) return ''
  // Without the list the page is only slower.
  const files = await readFile(join(webRoot, 'sign-in-files.json'), 'utf8')
    .then((text) => JSON.parse(text) as string[])
    .catch(() => [])
  return files.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`).join('')
}
