import type { App } from '@skyfolio/kit'
import { expect } from 'vitest'
import { deletePhoto } from '../src/events.ts'
import { savePhoto } from '../src/projection/photos.ts'
import { saveUser } from '../src/projection/users.ts'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'
import { voterLabel } from '../src/voting/voters.ts'
import {
  call,
  type FolderLink,
  makeFolder,
  newUser,
  newVoter,
  newVoterToken,
  photoState,
  type TestSystem,
  VOTER_KEY,
} from './support.ts'
import type { PhotoUpdate } from './voting-model.ts'

export const FOLDERS = 2
export const PHOTOS = 5
/** The last one is the owner. */
export const VOTERS = 3
const hashes = createVoterIdentity([VOTER_KEY], { secure: false })

/** Folders of an owner on the real service, photos in media, and voters. */
export async function openScenario({ database }: TestSystem, app: App) {
  const owner = newUser()
  const folders = [
    await makeFolder(app, owner, { isPublic: true }),
    await makeFolder(app, owner, { isPublic: true }),
  ] as const
  const photos = Array.from({ length: PHOTOS }, () => photoState({ userId: owner.userId }))
  const voters = Array.from({ length: VOTERS }, (_, index) =>
    index === VOTERS - 1 ? newVoter(app, () => owner.headers) : newVoter(app),
  )
  const tokens = voters.map(() => newVoterToken())
  let votesWithoutToken = 0
  /** All links that each folder has had, the current one last. */
  const links = folders.map(({ id, shareCode }): FolderLink[] => [{ folderId: id, shareCode, linkRevision: 1 }])
  let userRevision = 0
  const idOf = (folder: number) => folders[folder]?.id ?? 0
  const send = (method: Parameters<typeof call>[1], folder: number, rest: string, body?: object) =>
    call(app, method, `/api/folders/${idOf(folder)}${rest}`, { headers: owner.headers, ...(body && { body }) })

  return {
    owner,
    folders,
    voters,
    send,
    /** The token of the page that the voter's browser loaded. */
    tokenOf: (voter: number) => tokens[voter] as string,
    /** What no other vote has for a token. */
    newTokenName() {
      votesWithoutToken += 1
      return `none ${votesWithoutToken}`
    },
    photo: (index: number) => photos[index]?.id ?? 0,
    label: (folder: number, voter: number) =>
      voterLabel(hashes.hash('fingerprint', idOf(folder), voters[voter]?.fingerprint ?? '')),
    /** The folder's current link, or the one before it if there was one. */
    linkOf(folder: number, which: 'current' | 'former'): FolderLink {
      const all = links[folder] as FolderLink[]
      return (which === 'former' ? (all.at(-2) ?? all[0]) : all.at(-1)) as FolderLink
    },
    async renew(folder: number) {
      const { status, body } = await send('POST', folder, '/share-code')
      expect(status).toBe(200)
      const all = links[folder] as FolderLink[]
      all.push({ folderId: idOf(folder), shareCode: body.shareCode, linkRevision: all.length + 1 })
    },
    /** Handles an event of auth's. */
    setSuspended(suspended: boolean) {
      userRevision += 1
      const user = { id: owner.userId, suspended, displayName: null, revision: userRevision }
      return database.$transaction((tx) => saveUser(tx, user))
    },
    /** Handles an event of media's. */
    async applyUpdate(index: number, { revision, state }: PhotoUpdate) {
      const photo = photos[index] as (typeof photos)[number]
      await database.$transaction((tx) => {
        if (!state) return deletePhoto(tx, { photoId: photo.id, userId: owner.userId, revision })
        const { folder, own, ownRevision, raw } = state
        const where = { folderId: folders[folder]?.id, ownIsPublic: own ?? undefined }
        const pair = { isRaw: raw, pairedWith: raw ? photos[(index + 1) % PHOTOS]?.id : undefined }
        return savePhoto(tx, { ...photo, ...where, ...pair, ownVisibilityRevision: ownRevision }, revision)
      })
    },
  }
}

export type Scenario = Awaited<ReturnType<typeof openScenario>>

/** Media: the current state of each photo, and every event sent. */
export function createMedia() {
  const truth = Array.from({ length: PHOTOS }, (): PhotoUpdate => ({ revision: 0, state: null }))
  const events: { photo: number; update: PhotoUpdate }[] = []
  let undelivered = 0

  return {
    events,
    /** The photo's state, or null if it is deleted. */
    stateOf: (photo: number) => truth[photo]?.state ?? null,
    change(photo: number, state: PhotoUpdate['state']): void {
      const update = { revision: (truth[photo]?.revision ?? 0) + 1, state }
      truth[photo] = update
      events.push({ photo, update })
    },
    rest: () => {
      const rest = events.slice(undelivered)
      undelivered = events.length
      return rest
    },
  }
}
