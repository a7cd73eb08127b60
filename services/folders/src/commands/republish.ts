import { loadConfig, runRepublish } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishFolders } from '../events.ts'

await runRepublish({
  name: 'folders-republish',
  config: loadConfig(serverSettings, process.env),
  topics: events,
  republish: async (pool) => `Republished ${await republishFolders(openDatabase(pool))} folders.`,
})
