import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

interface VotedFolder {
  id: number
  shareCode: string
  photoCount: number
}

const SHOWN_WITHIN_MS = 120_000
const RANKS = ['first', 'second', 'third'] as const

/** What each visitor chooses: positions on the share page. Few enough that no ballot is flagged. */
const BALLOTS = [
  [0, 6, 2],
  [6, 0, 3],
  [0, 2, 16],
  [10, 0, 6],
  [2, 16, 8],
  [8, 6, 0],
] as const

/** Casts the ballots of a few visitors through the public API, as soon as the share page shows all photos. */
export async function castBallots(origin: string, { id: folderId, shareCode, photoCount }: VotedFolder): Promise<void> {
  const shareUrl = `${origin}/api/share/${shareCode}`
  const ids = await shownPhotos(shareUrl, photoCount)
  for (const ballot of BALLOTS) {
    // Each loads the page, without which a ballot is flagged.
    const page = await fetch(shareUrl)
    const visitor = { fingerprint: randomUUID(), voterToken: page.headers.get('voter-token') }
    for (const [index, position] of ballot.entries()) {
      const photoId = ids[position]
      const rank = RANKS[index]
      if (photoId === undefined || !rank) continue
      await vote(origin, photoId, { folderId, rank, ...visitor })
    }
  }
}

/** The ids of the photos on a share page, the newest first, once there are as many as expected. */
async function shownPhotos(shareUrl: string, count: number): Promise<number[]> {
  for (const deadline = Date.now() + SHOWN_WITHIN_MS; Date.now() < deadline; await delay(500)) {
    const response = await fetch(shareUrl)
    if (!response.ok) throw new Error(`The share page is not available: ${await response.text()}`)
    const { photos } = (await response.json()) as { photos: { id: number }[] }
    if (photos.length === count) return photos.map(({ id }) => id).sort((a, b) => b - a)
  }
  throw new Error(`The share page does not show all ${count} photos.`)
}

async function vote(origin: string, photoId: number, ballot: object): Promise<void> {
  const response = await fetch(`${origin}/api/photos/${photoId}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(ballot),
  })
  if (!response.ok) throw new Error(`A vote of the demo failed: ${await response.text()}`)
}
