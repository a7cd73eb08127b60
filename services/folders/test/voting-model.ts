/*
 * What folders should answer, in plain words: folders, photos as media last told of them, ballots. Nothing here knows
 * about SQL, batches, differences or caches.
 */

export type Rank = 'first' | 'second' | 'third'
export const RANKS: Rank[] = ['first', 'second', 'third']
export type RankedPhotos = Record<Rank, number>

/** A photo's state at one revision, as media tells of it; null when it is deleted. */
export interface PhotoUpdate {
  revision: number
  state: { folder: number; own: boolean | null; ownRevision: number } | null
}

interface Ballot {
  places: RankedPhotos
  excluded: boolean
  /** How many votes changed it, and the number of the last of them among all. */
  votes: number
  changed: number
}

export interface FolderModel {
  isPublic: boolean
  open: boolean
  revision: number
  flipped: number
  ballots: Map<number, Ballot>
  log: string[]
}

/** Folders and photos are numbered from 0, voters too; folder -1 is none. */
export function createModel(folderCount: number) {
  const folders = Array.from(
    { length: folderCount },
    (): FolderModel => ({ isPublic: true, open: true, revision: 1, flipped: 1, ballots: new Map(), log: [] }),
  )
  /** What was heard of each photo. */
  const photos = new Map<number, PhotoUpdate>()
  let clock = 0

  const folderAt = (index: number) => folders[index] as FolderModel

  function isShown(photo: number): boolean {
    const state = photos.get(photo)?.state
    const folder = state && folders[state.folder]
    if (!state || !folder) return false
    return state.own !== null && state.ownRevision >= folder.flipped ? state.own : folder.isPublic
  }

  function counts(folder: number, photo: number): boolean {
    return photos.get(photo)?.state?.folder === folder && (isShown(photo) || !folderAt(folder).isPublic)
  }

  /** The choices of a ballot that count. */
  function placesOf(folder: number, voter: number): RankedPhotos {
    const { first = 0, second = 0, third = 0 } = folderAt(folder).ballots.get(voter)?.places ?? {}
    const counted = (photo: number) => (counts(folder, photo) ? photo : 0)
    return { first: counted(first), second: counted(second), third: counted(third) }
  }

  function refusal(folder: number, photo: number, byOwner: boolean): 404 | 409 | null {
    const state = photos.get(photo)?.state
    if (!folderAt(folder).isPublic && !byOwner) return 404
    if (!folderAt(folder).open) return 409
    if (!state) return 404
    if (counts(folder, photo)) return null
    const isVisible = isShown(photo) && folders[state.folder]?.isPublic
    return byOwner || (isVisible && state.folder !== folder) ? 409 : 404
  }

  return {
    folders,
    placesOf,

    /** The status and, where it is 200, the places that the voter is told. */
    vote(o: { folder: number; photo: number; voter: number; rank: Rank | ''; byOwner: boolean }) {
      const refused = refusal(o.folder, o.photo, o.byOwner)
      if (refused) return { status: refused }
      const { ballots } = folderAt(o.folder)
      let ballot = ballots.get(o.voter)
      if (!ballot && o.rank) {
        ballot = { places: { first: 0, second: 0, third: 0 }, excluded: false, votes: 0, changed: 0 }
        ballots.set(o.voter, ballot)
      }
      if (ballot) {
        for (const rank of RANKS) if (ballot.places[rank] === o.photo) ballot.places[rank] = 0
        if (o.rank) ballot.places[o.rank] = o.photo
        clock += 1
        ballot.votes += 1
        ballot.changed = clock
      }
      return { status: 200, places: placesOf(o.folder, o.voter) }
    },

    /** An event arrives, for the first time or not, in its turn or not. */
    applyUpdate(photo: number, told: PhotoUpdate): void {
      if (told.revision <= (photos.get(photo)?.revision ?? 0)) return
      photos.set(photo, told)
      if (told.state) return
      for (const { ballots } of folders) {
        for (const { places } of ballots.values())
          for (const rank of RANKS) if (places[rank] === photo) places[rank] = 0
      }
    },

    setPublic(folder: number, isPublic: boolean): void {
      const one = folderAt(folder)
      if (one.isPublic === isPublic) return
      one.isPublic = isPublic
      one.revision += 1
      one.flipped = one.revision
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
        if (ballot.excluded) ballot.places = { first: 0, second: 0, third: 0 }
        else ballots.delete(voter)
      }
      folderAt(folder).log.unshift('reset')
    },

    /** Whether there is such a ballot. */
    setExcluded(folder: number, voter: number, excluded: boolean): boolean {
      const ballot = folderAt(folder).ballots.get(voter)
      if (ballot && ballot.excluded !== excluded) folderAt(folder).log.unshift(excluded ? 'excluded' : 'restored')
      if (ballot) ballot.excluded = excluded
      return ballot !== undefined
    },

    /** Ballots with a flag, or all, but never this voter's, who is the owner. Answers how many it changed. */
    setExcludedMany(folder: number, o: { flagged: boolean; excluded: boolean; owner: number }): number {
      const { ballots, log } = folderAt(folder)
      const changed = [...ballots].filter(
        ([voter, ballot]) => voter !== o.owner && ballot.excluded !== o.excluded && (!o.flagged || ballot.votes > 1),
      )
      for (const [, ballot] of changed) ballot.excluded = o.excluded
      if (changed.length > 0) log.unshift(o.excluded ? 'excluded' : 'restored')
      return changed.length
    },

    /** What visitors see of the folder, the newest first; photos with greater ids are newer. */
    shown(folder: number): number[] {
      const all = [...photos.keys()].filter((photo) => photos.get(photo)?.state?.folder === folder && isShown(photo))
      return all.sort((left, right) => right - left)
    },

    /** The owner's table. */
    tallies(folder: number) {
      const rows = [...photos.keys()].map((photoId) => {
        const row = { photoId, first: 0, second: 0, third: 0, points: 0, voters: 0 }
        for (const [voter, { excluded }] of folderAt(folder).ballots) {
          const places = placesOf(folder, voter)
          for (const rank of RANKS) if (!excluded && places[rank] === photoId) row[rank] += 1
        }
        row.points = 3 * row.first + 2 * row.second + row.third
        row.voters = row.first + row.second + row.third
        return row
      })
      return rows
        .filter((row) => row.voters > 0)
        .sort((a, b) => b.points - a.points || b.first - a.first || b.second - a.second || a.photoId - b.photoId)
    },

    /** The owner's list of voters, the last change first. */
    voters(folder: number) {
      const ballots = [...folderAt(folder).ballots].sort(([, left], [, right]) => right.changed - left.changed)
      return ballots.map(([voter, { excluded, votes }]) => ({
        voter,
        ...placesOf(folder, voter),
        excluded,
        // The voters of these tests keep no cookie, so each vote of theirs has a token of its own.
        flags: votes > 1 ? ['token-mismatch'] : [],
      }))
    },
  }
}

export type Model = ReturnType<typeof createModel>
