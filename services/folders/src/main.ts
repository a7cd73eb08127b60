import { loadConfig, openNats, openPool, runProcess, serve, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { settings } from './config.ts'
import { startFolders } from './service.ts'

await runProcess('folders', async (life) => {
  const config = loadConfig(settings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const nats = await openNats(life, config, 'folders', events)

  const { identityKeys, voterKeys, linkKeys } = config
  const secureCookies = config.publicOrigin.startsWith('https:')
  const deps = { pool, nats, identityKeys, voterKeys, linkKeys, secureCookies }
  await serve(life, await startFolders(life, deps), config)
})
