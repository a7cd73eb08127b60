import type { Identity } from '@skyfolio/kit'
import { openPool } from '@skyfolio/kit/database'
import { createTestDatabase, type TestDatabase } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FolderVisibility, isPublic, type OwnSetting } from '../../services/media/src/photos/visibility.ts'
import { rightToSee } from '../../services/media/src/pictures/may-see.ts'

// The rule of who sees a photo exists twice: in media as code, in folders as the view photos_with_visibility.

interface Case {
  own: OwnSetting
  /** Null: the photo is in no folder. */
  folder: (FolderVisibility & { ownerSuspended: boolean }) | null
}

const FLAGS = [true, false]
const REVISIONS = [1, 2, 3]
const OWNER = 1

const cases: Case[] = [null, ...FLAGS].flatMap((ownIsPublic) =>
  [0, ...REVISIONS].flatMap((ownVisibilityRevision) => {
    const own = { ownIsPublic, ownVisibilityRevision, privateByChoice: false }
    const folders = FLAGS.flatMap((isPublic) =>
      REVISIONS.flatMap((visibilityRevision) =>
        FLAGS.map((ownerSuspended) => ({ isPublic, visibilityRevision, ownerSuspended })),
      ),
    )
    return [null, ...folders].map((folder) => ({ own, folder }))
  }),
)

let database: TestDatabase
let pool: ReturnType<typeof openPool>

beforeAll(async () => {
  database = await createTestDatabase('folders')
  pool = openPool(database.url)
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('media and the view photos_with_visibility of folders agree on the visibility of a photo in every case', async () => {
  const inFolders = await readView(cases)
  const inMedia = await Promise.all(cases.map(computeInMedia))
  expect(cases).toHaveLength(156)
  expect(inFolders.map((found, index) => ({ ...cases[index], ...found }))).toEqual(
    inMedia.map((expected, index) => ({ ...cases[index], ...expected })),
  )
})

/** The columns of the view for each case, which has the photo and the folder of its number. */
async function readView(list: Case[]): Promise<{ isPublic: boolean; visible: boolean }[]> {
  for (const [index, { own, folder }] of list.entries()) {
    const id = index + 1
    if (folder)
      await pool.query(
        `INSERT INTO folders (id, user_id, name, is_public, revision, visibility_revision, owner_suspended)
         VALUES ($1, $2, $3, $4, $5, $5, $6)`,
        [id, OWNER, `folder-${id}`, folder.isPublic, folder.visibilityRevision, folder.ownerSuspended],
      )
    await pool.query(
      `INSERT INTO photos (id, revision, user_id, folder_id, own_is_public, own_visibility_revision)
       VALUES ($1, 1, $2, $3, $4, $5)`,
      [id, OWNER, folder ? id : null, own.ownIsPublic, own.ownVisibilityRevision],
    )
  }
  const { rows } = await pool.query('SELECT is_public AS "isPublic", visible FROM photos_with_visibility ORDER BY id')
  return rows
}

/** What media says: the owner's view of the photo, and whether it sends the bytes to a visitor. */
async function computeInMedia({ own, folder }: Case): Promise<{ isPublic: boolean; visible: boolean }> {
  const photo = { ...own, userId: OWNER, folderId: folder ? 1 : null } as Parameters<typeof rightToSee>[0]
  const visitor = { userId: null, isAdmin: false } as Identity
  const folders = { fetchCurrent: async () => folder } as unknown as Parameters<typeof rightToSee>[2]
  return { isPublic: isPublic(own, folder), visible: (await rightToSee(photo, visitor, folders)) !== null }
}
