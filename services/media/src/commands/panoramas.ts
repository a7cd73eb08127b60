import { databaseSettings, loadConfig, objectStoreSettings, openObjectStore, openPool } from '@skyfolio/kit'
import { openDatabase } from '../database.ts'
import { startMetadataReader } from '../metadata/metadata-reader.ts'
import { readPanoramas } from '../processing/read-panoramas.ts'

// `npm run ops -- media:panoramas`: finds the spheres among the photos of earlier releases, and tells other services of these and
// of wide photos. The relays of the running processes publish the events. It may be interrupted and repeated.

const config = loadConfig({ ...databaseSettings, ...objectStoreSettings }, process.env)
const pool = openPool(config.databaseUrl, { max: 2 })
const metadata = startMetadataReader()
try {
  const store = await openObjectStore(config)
  const { spheres, published, unreadable } = await readPanoramas({ db: openDatabase(pool), store, metadata })
  process.stdout.write(
    `${spheres} photos became spheres; ${published} spheres and wide photos were published again; the originals of ${unreadable} could not be read.\n`,
  )
} finally {
  await metadata.stop()
  await pool.end()
}
