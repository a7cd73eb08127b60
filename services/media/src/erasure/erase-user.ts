import { type ErasureProgress, isUnavailable } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { removeObjectsOf } from '../files/object-removals.ts'
import { eraseFlights } from '../flights/erase-flights.ts'
import { eraseSessions } from '../upload-sessions/upkeep.ts'
import type { UserErasureDeps } from './deps.ts'
import { eraseExports } from './erase-exports.ts'
import { erasePhotos } from './erase-photos.ts'
import { erasePrintImages } from './erase-print-images.ts'

/** The work of one call: between two of them other users are erased, and the process may stop. */
const SECONDS = 5
const CONTINUES: ErasureProgress = { waitsFor: '' }
const WAITS_FOR_STORE: ErasureProgress = { waitsFor: 'Files are still to be removed from the object store.' }

/**
 * Erases what media has of a user, as far as it can in some seconds. Complete when no object of the user is in the store any more
 * either; objects that several users' photos share stay.
 */
export async function eraseUser(deps: UserErasureDeps, userId: number): Promise<ErasureProgress> {
  try {
    return await eraseAll(deps, userId)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    deps.logger.warn({ err: error, userId }, 'erasure waits for the object store')
    return WAITS_FOR_STORE
  }
}

async function eraseAll(deps: UserErasureDeps, userId: number): Promise<ErasureProgress> {
  const photos = await erasePhotos(deps, userId, SECONDS)
  if (photos === 'more') return CONTINUES
  const sessions = await eraseSessions(deps, userId)
  const exports = await eraseExports(deps, userId)
  const printImages = await erasePrintImages(deps.db, userId)
  if (photos === 'erased') await deps.db.$transaction((tx) => eraseRows(tx, userId))
  const isRemoved = await removeObjectsOf(deps, userId, SECONDS)
  if (photos === 'in processing') return { waitsFor: 'A photo is still being processed.' }
  if (sessions === 'being completed') return { waitsFor: 'An upload is still being completed.' }
  if (exports === 'in preparation') return { waitsFor: 'An export is still being prepared.' }
  if (!isRemoved) return WAITS_FOR_STORE
  if (printImages === 'needed')
    return { waitsFor: 'Print images stay until the orders are erased or the images expire.' }
  return printImages === 'in rendering' ? { waitsFor: 'A print image is still being rendered.' } : 'complete'
}

/** What is left without photos. Folders become tombstones, so that a late event does not bring them back. */
async function eraseRows(tx: Transaction, userId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM failed_uploads WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM photo_sums WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM photo_places WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM photo_hours WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM photo_taken_days WHERE user_id = ${userId}`
  await eraseFlights(tx, userId)
  await tx.$executeRaw`DELETE FROM photo_cells WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM user_usage WHERE user_id = ${userId}`
  await tx.$executeRaw`UPDATE folders SET deleted = true, is_public = false WHERE user_id = ${userId} AND NOT deleted`
}
