import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublic, settingAfterMove, settingAfterRemoval } from '../src/photos/visibility.ts'

const flag = fc.record({ isPublic: fc.boolean(), visibilityRevision: fc.nat(9) })
const own = fc.record({
  ownIsPublic: fc.option(fc.boolean()),
  ownVisibilityRevision: fc.nat(9),
  privateByChoice: fc.boolean(),
})

test("applies a folder's flip to its photos, whatever their own setting was", () => {
  fc.assert(
    fc.property(own, fc.boolean(), (photo, flipped) => {
      expect(isPublic(photo, { isPublic: flipped, visibilityRevision: photo.ownVisibilityRevision + 1 })).toBe(flipped)
    }),
  )
})

test('keeps the visibility of a photo that leaves its folder', () => {
  fc.assert(
    fc.property(
      own,
      flag,
      (photo, folder) => isPublic(settingAfterRemoval(photo, folder), null) === isPublic(photo, folder),
    ),
  )
})

test('never publishes a photo by a move that its owner made private', () => {
  fc.assert(
    fc.property(own, fc.option(flag), flag, fc.nat(5), (photo, from, to, later) => {
      const revision = to.visibilityRevision + later
      const moved = settingAfterMove(photo, from, { revision })
      const chosen = photo.privateByChoice && photo.ownIsPublic === false
      const held = from === null || photo.ownVisibilityRevision >= from.visibilityRevision
      expect(isPublic(moved, to)).toBe(chosen && held ? false : to.isPublic)
    }),
  )
})
