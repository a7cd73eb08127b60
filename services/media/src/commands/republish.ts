import { databaseSettings, loadConfig, natsSettings, runRepublish, streamSettings } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { openDatabase } from '../database.ts'
import { republishPhotos, republishUsage } from '../events.ts'

await runRepublish({
  name: 'media-republish',
  config: loadConfig({ ...databaseSettings, ...natsSettings, ...streamSettings }, process.env),
  topics: events,
  async republish(pool) {
    const db = openDatabase(pool)
    const photos = await republishPhotos(db)
    return `Published ${photos} photos and the usage of ${await republishUsage(db)} users again.`
  },
})
