import { loadConfig, openNats, openObjectStore, openPool, runProcess, serve, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { apiSettings } from './config.ts'
import { startMedia } from './service.ts'
import { checkPartSupport } from './upload-sessions/upkeep.ts'

await runProcess('media', async (life) => {
  const config = loadConfig(apiSettings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const store = await openObjectStore(config, { logger: life.logger })
  life.health.addCheck('object store', () => store.check())
  void checkPartSupport(store, life.logger)

  const nats = await openNats(life, config, 'media', events)

  await serve(life, await startMedia(life, { pool, nats, store }, config), config)
})
