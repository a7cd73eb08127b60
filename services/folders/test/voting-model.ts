/*
 * A simple model of the expected responses: folders, the last state of each photo, ballots. It has no SQL, batches,
 * deltas or caches.
 */

export type Rank = 'first' | 'second' | 'third'
export const RANKS: Rank[] = ['first', 'second', 'third']
export type RankedPhotos = Record<Rank, number>

/** An event of media's: a photo's state at a revision; null if it is deleted. */
export interface PhotoUpdate {
  revision: number
  /** `raw`: it is the raw file of a pair. */
  state: { folder: number; own: boolean | null; ownRevision: number; raw: boolean } | null
}

interface SentVote {
  folder: number
  photo: number
  voter: number
  rank: Rank | ''
  /** Exchanges ranks with the photo that holds the rank, if both have one. */
  swap: boolean
  byOwner: boolean
  /** The link that the request shows; null: none. */
  link: number | null
  /** The name of the voter token; a vote without one counts as one with a token of its own. */
  token: string
  hasToken: boolean
}

interface Ballot {
  ranking: RankedPhotos
  excluded: boolean
  byOwner: boolean
  /** The token that it began with, and whether the first vote had it. */
  token: string
  hadToken: boolean
  tokenChanged: boolean
  /** The sequence number of the last vote that changed it. */
  changed: number
}

export interface FolderModel {
  isPublic: boolean
  /** Its owner is. */
  suspended: boolean
  open: boolean
  /** The number of links so far. */
  link: number
  revision: number
  flipped: number
  ballots: Map<number, Ballot>
  log: string[]
}

/** Folders and photos are numbered from 0, voters too; folder -1 is none. */
export function createModel(folderCount: number) {
  const folders = Array.from(
    { length: folderCount },
    (): FolderModel => ({
      isPublic: true,
      suspended: false,
      open: true,
      link: 1,
      revision: 1,
      flipped: 1,
      ballots: new Map(),
      log: [],
    }),
  )
  /** The last applied update of each photo. */
  const photos = new Map<number, PhotoUpdate>()
  let clock = 0

  const folderAt = (index: number) => folders[index] as FolderModel

  const isShared = (folder: FolderModel) => folder.isPublic && !folder.suspended

  /** By its own setting or that of its folder; a raw file as its JPEG. */
  function isPublic(photo: number): boolean {
    const state = photos.get(photo)?.state
    const folder = state && folders[state.folder]
    if (!state || !folder) return false
    return state.own !== null && state.ownRevision >= folder.flipped ? state.own : folder.isPublic
  }

  const isShown = (photo: number) => isPublic(photo) && !photos.get(photo)?.state?.raw

  /** Whether the photo, or the JPEG of its pair, can be ranked in the folder. */
  function isCandidate(folder: number, photo: number): boolean {
    return photos.get(photo)?.state?.folder === folder && (isPublic(photo) || !folderAt(folder).isPublic)
  }

  const counts = (folder: number, photo: number) => isCandidate(folder, photo) && !photos.get(photo)?.state?.raw

  /** The photos of a ballot that count. */
  function rankingOf(folder: number, voter: number): RankedPhotos {
    const { first = 0, second = 0, third = 0 } = folderAt(folder).ballots.get(voter)?.ranking ?? {}
    const counted = (photo: number) => (counts(folder, photo) ? photo : 0)
    return { first: counted(first), second: counted(second), third: counted(third) }
  }

  /** Whether visitors who show this link see the folder; before the first renewal they need none. */
  const isOpenTo = (folder: FolderModel, link: number | null) =>
    isShared(folder) && (folder.link === 1 || folder.link === link)

  function flagsOf({ hadToken, byOwner, tokenChanged }: Ballot): string[] {
    return [...(hadToken || byOwner ? [] : ['no-page']), ...(tokenChanged ? ['token-mismatch'] : [])]
  }

  function rejection({ folder, photo, byOwner, link }: SentVote): 404 | 409 | null {
    const state = photos.get(photo)?.state
    if (!isOpenTo(folderAt(folder), link) && !byOwner) return 404
    if (!folderAt(folder).open) return 409
    if (!state) return 404
    if (counts(folder, photo)) return null
    if (isCandidate(folder, photo)) return 409
    const place = folders[state.folder]
    const isVisible = isShown(photo) && place && isOpenTo(place, null)
    return byOwner || (isVisible && state.folder !== folder) ? 409 : 404
  }

  return {
    folders,
    rankingOf,

    /** The expected status of a request for a voter's ranking. */
    rankingStatus: (folder: number, { byOwner, link }: Pick<SentVote, 'byOwner' | 'link'>) =>
      byOwner || isOpenTo(folderAt(folder), link) ? 200 : 404,

    /** The expected status and, with 200, the voter's ranking. */
    vote(vote: SentVote) {
      const { folder, photo, voter, rank, swap, byOwner, token, hasToken } = vote
      const rejected = rejection(vote)
      if (rejected) return { status: rejected }
      const { ballots } = folderAt(folder)
      let ballot = ballots.get(voter)
      if (!ballot && rank) {
        const ranking = { first: 0, second: 0, third: 0 }
        ballot = { ranking, excluded: false, byOwner, token, hadToken: hasToken, tokenChanged: false, changed: 0 }
        ballots.set(voter, ballot)
      }
      if (ballot) {
        const former = RANKS.find((other) => ballot.ranking[other] === photo)
        if (former) ballot.ranking[former] = swap && rank ? ballot.ranking[rank] : 0
        if (rank) ballot.ranking[rank] = photo
        clock += 1
        ballot.tokenChanged ||= token !== ballot.token
        ballot.changed = clock
      }
      return { status: 200, ranking: rankingOf(folder, voter) }
    },

    /** Applies an event, possibly repeated or out of order. */
    applyUpdate(photo: number, update: PhotoUpdate): void {
      if (update.revision <= (photos.get(photo)?.revision ?? 0)) return
      photos.set(photo, update)
      if (update.state) return
      for (const { ballots } of folders) {
        for (const { ranking } of ballots.values())
          for (const rank of RANKS) if (ranking[rank] === photo) ranking[rank] = 0
      }
    },

    setPublic(folder: number, isPublic: boolean): void {
      const one = folderAt(folder)
      if (one.isPublic === isPublic) return
      one.isPublic = isPublic
      one.revision += 1
      one.flipped = one.revision
    },

    renew(folder: number): void {
      folderAt(folder).link += 1
      folderAt(folder).revision += 1
    },

    /** Suspends the owner of all folders, or no longer. */
    setSuspended(suspended: boolean): void {
      for (const folder of folders) folder.suspended = suspended
    },

    setOpen(folder: number, open: boolean): void {
      const one = folderAt(folder)
      if (one.open === open) return
      one.open = open
      one.revision += 1
      one.log.unshift(open ? 'opened' : 'closed')
    },

    reset(folder: number): void {
      const { ballots } = folderAt(folder)
      for (const [voter, ballot] of ballots) {
        if (ballot.excluded) ballot.ranking = { first: 0, second: 0, third: 0 }
        else ballots.delete(voter)
      }
      folderAt(folder).log.unshift('reset')
    },

    /** Returns whether the ballot exists. */
    setExcluded(folder: number, voter: number, excluded: boolean): boolean {
      const ballot = folderAt(folder).ballots.get(voter)
      if (ballot && ballot.excluded !== excluded) folderAt(folder).log.unshift(excluded ? 'excluded' : 'restored')
      if (ballot) ballot.excluded = excluded
      return ballot !== undefined
    },

    /** Changes ballots with a flag, or all, never the owner's. Returns how many. */
    setExcludedMany(folder: number, { flagged, excluded }: { flagged: boolean; excluded: boolean }): number {
      const { ballots, log } = folderAt(folder)
      const isMeant = (ballot: Ballot) => !flagged || flagsOf(ballot).length > 0
      const changed = [...ballots.values()].filter(
        (ballot) => !ballot.byOwner && ballot.excluded !== excluded && isMeant(ballot),
      )
      for (const ballot of changed) ballot.excluded = excluded
      if (changed.length > 0) log.unshift(excluded ? 'excluded' : 'restored')
      return changed.length
    },

    /** The photos that visitors see, newest first; photos with greater ids are newer. */
    shown(folder: number): number[] {
      const all = [...photos.keys()].filter((photo) => photos.get(photo)?.state?.folder === folder && isShown(photo))
      return all.sort((left, right) => right - left)
    },

    /** The owner's standings. */
    tallies(folder: number) {
      const rows = [...photos.keys()].map((photoId) => {
        const row = { photoId, first: 0, second: 0, third: 0, points: 0, voters: 0 }
        for (const [voter, { excluded }] of folderAt(folder).ballots) {
          const ranking = rankingOf(folder, voter)
          for (const rank of RANKS) if (!excluded && ranking[rank] === photoId) row[rank] += 1
        }
        row.points = 3 * row.first + 2 * row.second + row.third
        row.voters = row.first + row.second + row.third
        return row
      })
      return rows
        .filter((row) => row.voters > 0)
        .sort((a, b) => b.points - a.points || b.first - a.first || b.second - a.second || a.photoId - b.photoId)
    },

    /** How many ballots count. */
    ballots(folder: number): number {
      const all = [...folderAt(folder).ballots]
      return all.filter(([voter, { excluded }]) => !excluded && Object.values(rankingOf(folder, voter)).some(Boolean))
        .length
    },

    /** The owner's list of voters, the last change first. */
    voters(folder: number) {
      const ballots = [...folderAt(folder).ballots].sort(([, left], [, right]) => right.changed - left.changed)
      return ballots.map(([voter, ballot]) => ({
        voter,
        ...rankingOf(folder, voter),
        excluded: ballot.excluded,
        owner: ballot.byOwner,
        flags: flagsOf(ballot),
      }))
    },
  }
}

export type Model = ReturnType<typeof createModel>
