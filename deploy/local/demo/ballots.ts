import { randomUUID } from 'node:crypto'

interface VotedFolder {
  folderId: number
  shareUrl: string
  /** The newest first. */
  photoIds: number[]
}

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

/** Casts the ballots of a few visitors through the public API. */
export async function castBallots(origin: string, { folderId, shareUrl, photoIds }: VotedFolder): Promise<void> {
  for (const ballot of BALLOTS) {
    // Each loads the page, without which a ballot is flagged.
    const page = await fetch(shareUrl)
    const visitor = { fingerprint: randomUUID(), voterToken: page.headers.get('voter-token') }
    for (const [index, position] of ballot.entries()) {
      const photoId = photoIds[position]
      const rank = RANKS[index]
      if (photoId === undefined || !rank) continue
      await vote(origin, photoId, { folderId, rank, ...visitor })
    }
  }
}

async function vote(origin: string, photoId: number, ballot: object): Promise<void> {
  const response = await fetch(`${origin}/api/photos/${photoId}/rank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(ballot),
  })
  if (!response.ok) throw new Error(`A vote of the demo failed: ${await response.text()}`)
}
