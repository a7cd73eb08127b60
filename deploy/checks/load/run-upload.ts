// `npm run check -- load:upload --seconds 10`: k6 uploads real, unique photos through the gateway of a system that it
// starts, or of the one at BASE_URL (on another machine with ALLOW_REMOTE=yes). Afterwards each acknowledged photo is
// downloaded and compared by SHA-256. Exits with code 1 when a threshold is crossed or an original differs.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { createBasePhotos } from '../faults/upload-files.ts'
import { compareOriginals } from './compare-originals.ts'
import { countOf, describeTimes, loadWithK6, runLoad } from './run-k6.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    vus: { type: 'string', default: '8' },
    users: { type: 'string', default: '4' },
    // Size of the random sample of acknowledged photos that is compared.
    compare: { type: 'string', default: '5000' },
  },
})

/** One line that k6-upload.ts logs: a photo that the server acknowledged. */
interface Acknowledged {
  id: number
  /** Path of the original. */
  url: string
  /** Hex digest of the bytes that were sent. */
  sha256: string
  /** Number of the account. */
  user: number
}

async function writePhotos(folder: string): Promise<string[]> {
  const photos = await createBasePhotos()
  const paths = photos.map((_, index) => join(folder, `photo-${index}.jpg`))
  await Promise.all(photos.map((photo, index) => writeFile(paths[index] ?? '', photo)))
  return paths
}

await runLoad('load', {}, async (target) => {
  const account = `load-${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('base64url')
  const { lines, metrics, thresholds } = await loadWithK6(
    target,
    'deploy/checks/load/k6-upload.ts',
    Number(flags.seconds),
    {
      PHOTOS: (await writePhotos(target.folder)).join(','),
      SECONDS: flags.seconds,
      VUS: flags.vus,
      USERS: flags.users,
      LOAD_ACCOUNT: account,
      LOAD_PASSWORD: password,
    },
  )
  const acknowledged = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Acknowledged)
  const cookies = new Map<number, string>()
  for (const user of new Set(acknowledged.map((photo) => photo.user))) {
    const { cookie } = await openSignedInClient(target.baseUrl, { username: `${account}-${user}`, password })
    cookies.set(user, cookie)
  }
  const originals = acknowledged.map(({ id, url, sha256, user }) => {
    return { id, url: target.baseUrl + url, sha256, cookie: cookies.get(user) ?? '' }
  })
  const { compared, wrong } = await compareOriginals(originals, Number(flags.compare))
  console.log(
    [
      `${acknowledged.length} photos acknowledged, ${(countOf(metrics, 'data_sent') / 1e6).toFixed(0)} MB sent`,
      ...['one', 'group'].map((name) => `${name}: ${describeTimes(metrics, `http_req_duration{name:${name}}`)}`),
      `${compared} downloaded and compared, ${wrong.length} wrong`,
      ...wrong.slice(0, 20),
    ].join('\n'),
  )
  return { ...thresholds, 'every acknowledged photo is stored byte for byte': wrong.length === 0 }
})
