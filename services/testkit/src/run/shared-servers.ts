import { inject } from 'vitest'
import type {} from './global-setup.ts'

/** The servers that the whole run shares. Other files use them at the same time: take a database, a key prefix of your own. */
export function testServers(): { postgresUrl: string; redisUrl: string; natsUrl: string } {
  return inject('servers')
}
