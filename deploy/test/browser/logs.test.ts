import { expect, test } from 'vitest'
import { leaksIn } from '../log-leaks.ts'
import { keptLogs } from './logs.ts'

// Runs after all other files (vitest.browser.config.ts): what they did is what was logged.
test('no log of the whole run holds an e-mail address, a password, a cookie, a token or a coordinate', async () => {
  const logs = await keptLogs()
  const all = logs.map(({ text }) => text).join('\n')
  // Every service has logged its requests and its work, or nothing would be proved.
  for (const service of ['gateway', 'auth', 'media', 'folders', 'worker'])
    expect(all).toContain(`\n${service.padEnd(9)}| `)
  for (const route of ['/api/register', '/api/upload-photo', '/api/photos']) expect(all).toContain(route)
  expect(logs.flatMap(({ text, secrets }) => leaksIn(text, secrets))).toEqual([])
})
