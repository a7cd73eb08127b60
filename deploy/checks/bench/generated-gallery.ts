import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Browser, BrowserContext } from 'playwright-core'
import { root } from '../../local/paths.ts'

/** Registers a user with generated photos on the system of this data folder. The pages of the context are the user's. */
export async function openGallery(
  browser: Browser,
  url: string,
  dataDir: string,
  photos: number,
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  const account = { username: `pilot-${photos}`, password: 'over-the-lake', confirmPassword: 'over-the-lake' }
  await context.request.post('/api/register', { data: account, headers: { origin: url } })
  const args = ['deploy/local/generate-photos.ts', '--user', account.username, '--count', String(photos)]
  const generator = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, SKYFOLIO_DATA: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(generator, 'exit')
  if (code !== 0) throw new Error('The photos could not be generated')
  return context
}
