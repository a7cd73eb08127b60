import { beginRebuild, endRebuild, loadConfig, runRebuild } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, deletePhoto, photoHandlers } from '../events.ts'

// `begin`, then media's `republish`, then `end`.
await runRebuild({
  name: 'folders-rebuild',
  config: loadConfig(serverSettings, process.env),
  durable: DURABLE,
  subjects: photoHandlers.map((handler) => handler.subject),
  begin: async (pool) => `Rebuild started: ${await beginRebuild(openDatabase(pool))} photos to confirm.`,
  end: async (pool) =>
    `Rebuild complete: ${await endRebuild(openDatabase(pool), deletePhoto)} photos that no longer exist were removed.`,
})
