import { loadConfig, runRebuild } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, eventHandlers } from '../events.ts'
import { beginUsageRebuild, endUsageRebuild } from '../usage/usage.ts'

// `begin`, then media's `republish`, then `end`.
await runRebuild({
  name: 'auth-rebuild',
  config: loadConfig(serverSettings, process.env),
  durable: DURABLE,
  subjects: eventHandlers({ canSendMail: false }).map((handler) => handler.subject),
  begin: async (pool) =>
    `Rebuild started: the usage of ${await beginUsageRebuild(openDatabase(pool))} users to confirm.`,
  end: async (pool) =>
    `Rebuild complete: the usage of ${await endUsageRebuild(openDatabase(pool))} users without photos was removed.`,
})
