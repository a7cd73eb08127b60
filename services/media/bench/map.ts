// The map of galleries of 100, 100,000 and 1,000,000 photos: tiles at all zooms, the extent and lists of an area through
// media's API over HTTP, alternating in one run. Prints Markdown. `npm run check -- bench:map`; takes about fifteen
// minutes, half of them for making the photos.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { worldX, worldY } from '../src/gallery/web-mercator.ts'
import { createRequests, median } from './requests.ts'
import { startBenchSystem } from './system.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '100,100000,1000000' } } })
const COUNTS = flags.photos.split(',').map(Number)
const WARM_UP = 4
const ROUNDS = 20
const CHUNK = 50_000
const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'
/** Where one flight in four is. */
const HOME = { latitude: 32.7157, longitude: -117.1611 }

const { get, timed } = createRequests(IDENTITY_KEY)
const system = await startBenchSystem(IDENTITY_KEY)
try {
  await fillAll()
  const origin = `http://127.0.0.1:${await system.start('src/main.ts')}`
  await measure(origin)
} finally {
  await system.close()
}

/** Makes the galleries, and their indexes afterwards, which takes less time. */
async function fillAll(): Promise<void> {
  // Without the time limits of the services' pools.
  const client = new pg.Client(system.env.DATABASE_URL)
  await client.connect()
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = 'photos'::regclass AND NOT indisunique`,
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  for (const [index, count] of COUNTS.entries()) await fill(client, index + 1, count)
  for (const { definition } of rows) await client.query(definition)
  await client.query('VACUUM ANALYZE photos')
  await client.end()
}

/** Flights of 200 photos along a line, at home, near home and anywhere on earth; one photo in twenty has no position. */
async function fill(client: pg.Client, userId: number, count: number): Promise<void> {
  await client.query('SELECT setseed(0.5)')
  for (let start = 0; start < count; start += CHUNK) {
    await client.query(
      `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status, thumbnail, small,
        thumbhash, metadata, latitude, longitude, date_taken, created_at)
      SELECT $1::int, 'DJI_' || n % 10000, md5('f' || $1::int || '-' || n) || '.jpg', 'x.jpg', 5000000, md5('h' || $1::int || '-' || n), 'ready',
        md5('t' || n % 24) || '.webp', md5('s' || n % 24) || '.webp', 'aNgFDYIIp4d3eHeIf4eHh3hwd3eHd4h4',
        jsonb_build_object('drone', jsonb_build_object('GimbalYawDegree', n % 360)),
        CASE WHEN n % 20 > 0 THEN lat + sin(angle) * 0.00003 * (n % 200) + random() * 0.00002 END,
        CASE WHEN n % 20 > 0 THEN lon + cos(angle) * 0.00003 * (n % 200) + random() * 0.00002 END,
        to_char(timestamp '2026-01-01' - make_interval(hours => n / 200, secs => n % 200), 'YYYY-MM-DD"T"HH24:MI:SS'),
        now() - make_interval(hours => n / 200)
      FROM (
        SELECT flight, random() * 6.28 AS angle,
          CASE WHEN kind < 0.25 THEN $4::float8 + (random() - 0.5) * 0.01 WHEN kind < 0.75 THEN $4 + (random() - 0.5) * 3
            ELSE random() * 120 - 50 END AS lat,
          CASE WHEN kind < 0.25 THEN $5::float8 + (random() - 0.5) * 0.01 WHEN kind < 0.75 THEN $5 + (random() - 0.5) * 3
            ELSE random() * 350 - 175 END AS lon
        FROM (SELECT flight, random() AS kind FROM generate_series($2::int / 200, ($3::int - 1) / 200) AS flight) AS kinds) AS flights
      CROSS JOIN LATERAL generate_series(greatest($2::int, flight * 200), least($3::int - 1, flight * 200 + 199)) AS n`,
      [userId, start, Math.min(count, start + CHUNK), HOME.latitude, HOME.longitude],
    )
  }
}

function tileAtHome(z: number): string {
  const [x, y] = [worldX(HOME.longitude), worldY(HOME.latitude)].map((place) => Math.floor(place / 2 ** (26 - z)))
  return `/api/photos/map/${z}/${x}/${y}`
}

async function measure(origin: string): Promise<void> {
  const firsts: string[] = []
  for (const index of COUNTS.keys()) firsts.push((await timed(`${origin}${tileAtHome(0)}`, index + 1)).toFixed(0))
  const paths: Record<string, string> = Object.fromEntries(
    [0, 2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20].map((z) => [`tile at zoom ${z}`, tileAtHome(z)]),
  )
  Object.assign(paths, {
    'tile at zoom 6, the last month': `${tileAtHome(6)}?from=month`,
    'tile at zoom 14, by text': `${tileAtHome(14)}?q=DJI_77`,
    extent: '/api/photos/map/extent',
    'page of a town': '/api/photos?limit=30&area=-117.2,32.7,-117.1,32.8',
    'page of the world': '/api/photos?limit=30&area=-180,-85,180,85',
    'page of the southern hemisphere': '/api/photos?limit=30&area=-180,-85,180,0',
    'page near a place': `/api/photos?limit=30&near=${HOME.latitude},${HOME.longitude},200`,
  })
  const lines: string[] = []
  for (const [name, path] of Object.entries(paths)) {
    const times = COUNTS.map(() => [] as number[])
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      for (const [index, of] of times.entries()) {
        const ms = await timed(origin + path, index + 1)
        if (round >= WARM_UP) of.push(ms)
      }
    }
    const bodies = await Promise.all(
      COUNTS.map(async (_, index) => await (await get(origin + path, index + 1)).arrayBuffer()),
    )
    const cells = times.map(
      (of, index) => `${median(of).toFixed(1)} | ${((bodies[index]?.byteLength ?? 0) / 1000).toFixed(1)}`,
    )
    lines.push(`| ${name} | ${cells.join(' | ')} |`)
  }
  const heads = COUNTS.map((count) => `${count.toLocaleString('en')} photos, ms | kB`)
  process.stdout.write(`Median of ${ROUNDS} alternating requests; ${cpus().length} × ${cpus()[0]?.model.trim()}

| request | ${heads.join(' | ')} |
| --- | ${heads.map(() => '---: | ---:').join(' | ')} |
${lines.join('\n')}

The very first tile, which counts the cells of a large gallery: ${firsts.join(', ')} ms.
`)
}
