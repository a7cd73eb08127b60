import { join } from 'node:path'
import { startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'

// Starts the three servers, tells their process ids, and waits to be killed.
const folder = process.argv[2] ?? ''
const servers = await Promise.all([
  startPostgres({ dataDir: join(folder, 'postgres'), password: 'test', durable: false }),
  startRedis({ dataDir: join(folder, 'redis') }),
  startNats({ dataDir: join(folder, 'nats') }),
])
console.log(`started ${servers.map(({ pid }) => pid).join(' ')}`)
setInterval(() => {}, 60_000)
