import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { placePrintOrder } from '../../smoke/print-order.ts'
import { createTiffPhoto } from '../../smoke/tiff-photo.ts'

/** Synthetic traffic of owners and visitors, until it is stopped. */
export interface Traffic {
  /** @throws the error that ended the traffic, if any */
  stop(): Promise<void>
}

const DULUTH = { latitude: 46.7867, longitude: -92.1005 }

/** Uploads, votes, reads and requests missing paths twice a second, with a new photo every two seconds; orders prints twice. */
export async function startTraffic(origin: string): Promise<Traffic> {
  const { call, cookie } = await openSignedInClient(origin, {
    username: 'pilot',
    password: 'over-the-lake',
    // It gets a mail.
    email: 'pilot@skyfolio.test',
  })
  const folder = (await call('POST', '/api/folders', { name: 'Flight', isPublic: true })) as SharedFolder
  const ended = new AbortController()
  // Only the open stream matters, not its events.
  const stream = await fetch(`${origin}/api/events`, { headers: { cookie }, signal: ended.signal })
  const running = run()
  running.catch(() => {})

  async function run(): Promise<void> {
    // The second order makes counters of the print partner grow between two scrapes, without which they have no rate.
    let orders = 0
    for (let round = 0; !ended.signal.aborted; round += 1) {
      if (round % 4 === 0) await call('POST', '/api/upload-photos', photo(folder.id, round))
      const { photos } = (await call('GET', `/api/share/${folder.shareCode}`)) as { photos: { id: number }[] }
      const [first] = photos
      const ballot = { fingerprint: randomUUID(), rank: 'first', folderId: folder.id }
      if (first) await call('POST', `/api/photos/${first.id}/rank`, ballot)
      if (first && orders < 2 && round % 4 === 0) {
        orders += 1
        await placePrintOrder(call, { photoId: first.id, quantity: orders, ...DULUTH })
      }
      await (await fetch(`${origin}/api/nothing`)).text()
      await delay(500, undefined, { signal: ended.signal }).catch(() => {})
    }
  }

  return {
    async stop() {
      ended.abort()
      await stream.body?.cancel().catch(() => {})
      await running
    },
  }
}

interface SharedFolder {
  id: number
  shareCode: string
}

function photo(folderId: number, round: number): FormData {
  const form = new FormData()
  form.set('folderId', String(folderId))
  form.append(
    'photos',
    new Blob([createTiffPhoto(DULUTH.latitude, DULUTH.longitude, round)], { type: 'image/tiff' }),
    `flight-${round}.tif`,
  )
  return form
}
