import { expect, inject, test } from 'vitest'
import { componentNames } from '../../components.ts'
import { linePrefix } from '../../local/console.ts'
import { leaksIn } from '../log-leaks.ts'
import { readKeptLogs, readLogs } from './logs.ts'

// Runs after all other files (vitest.browser.config.ts) and reads the logs of their systems.
test('logs no e-mail address, password, cookie, token or coordinate in the whole run', async () => {
  const kept = await readKeptLogs()
  const shared = await Promise.all(inject('systems').map(({ dataDir }) => readLogs(dataDir)))
  const all = [...shared, ...kept.map(({ text }) => text)].join('\n')
  // Without logs of every service and route the check below would prove nothing.
  for (const name of componentNames()) expect(all).toContain(`\n${linePrefix(name)} `)
  for (const route of ['/api/register', '/api/upload-photo', '/api/photos']) expect(all).toContain(route)
  const secrets = [...new Set(kept.flatMap((log) => log.secrets))]
  expect(leaksIn(all, secrets)).toEqual([])
})
