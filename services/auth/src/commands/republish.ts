import { loadConfig, runRepublish } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishDeletions, republishUsers } from '../events.ts'

await runRepublish({
  name: 'auth-republish',
  config: loadConfig(serverSettings, process.env),
  topics: events,
  async republish(pool) {
    const db = openDatabase(pool)
    return `Republished ${await republishUsers(db)} users and ${await republishDeletions(db)} deletions.`
  },
})
