import { fromBinary } from '@bufbuild/protobuf'
import { PhotoChangedSchema } from '@skyfolio/proto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrangePhotos, MAX_ARRANGED, moveBefore } from '../src/gallery/own-order.ts'
import { deletePhotos } from '../src/photos/delete-photos.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { movePhotos } from '../src/photos/placement.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

let made = 0
let lastFolder = 100

function newFolder(): number {
  lastFolder += 1
  folders.set(lastFolder, 1, true)
  return lastFolder
}

async function addPhotos(folderId: number, count: number, more: { createdAt?: Date } = {}): Promise<number[]> {
  const data = Array.from({ length: count }, () => {
    made += 1
    const filename = `${made.toString(16).padStart(32, '0')}.jpg`
    const file = { title: filename, filename, originalName: filename, filesize: 1000, sha256: `order-${made}` }
    return { userId: 1, folderId, status: 'ready', ...file, ...more }
  })
  const photos = await media.db.photo.createManyAndReturn({ data, select: { id: true } })
  return photos.map(({ id }) => id)
}

/** The order as pages of `limit` photos have it. */
async function readOrder(folderId: number, limit = 3): Promise<number[]> {
  const ids: number[] = []
  for (let path: string | undefined = `/api/folders/${folderId}/photos?sort=own&limit=${limit}`; path; ) {
    const response: Response = await media.call(path, user(1))
    ids.push(...((await response.json()) as PhotoResponse[]).map(({ id }) => id))
    path = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return ids
}

async function put(folderId: number, ids: number[], before?: number | null, userId = 1): Promise<number> {
  const body = JSON.stringify({ ids, before })
  const headers = { 'content-type': 'application/json' }
  return (await media.call(`/api/folders/${folderId}/order`, user(userId), { method: 'PUT', body, headers })).status
}

const revisionsOf = async (ids: number[]) => {
  const photos = await media.db.photo.findMany({ where: { id: { in: ids } }, select: { id: true, revision: true } })
  return new Map(photos.map(({ id, revision }) => [id, revision]))
}

test('photos are listed in the order that their owner gave them, new ones last', async () => {
  const folder = newFolder()
  const [a = 0, b = 0, c = 0, d = 0] = await addPhotos(folder, 4)
  expect(await readOrder(folder)).toEqual([a, b, c, d])
  expect(await put(folder, [d, b, a, c])).toBe(204)
  const [e = 0] = await addPhotos(folder, 1)
  expect(await readOrder(folder, 2)).toEqual([d, b, a, c, e])
  expect(await put(folder, [e, c], b)).toBe(204)
  expect(await readOrder(folder, 2)).toEqual([d, e, c, b, a])
  expect(await put(folder, [])).toBe(204)
  expect(await readOrder(folder, 2)).toEqual([a, b, c, d, e])
})

test('the gallery filtered by the folder, a search in it and the place of a photo have the order, which has no months', async () => {
  const folder = newFolder()
  const ids = await addPhotos(folder, 5)
  await media.db.photo.updateMany({ where: { id: { in: ids } }, data: { title: 'Lighthouse' } })
  const order = ids.toReversed()
  await put(folder, order.slice(0, 3))
  const expected = [...order.slice(0, 3), ...order.slice(3).toReversed()]
  for (const query of ['', '&q=lighthouse', '&skip=0&limit=500']) {
    const photos = await media.json<PhotoResponse[]>(`/api/photos?folder=${folder}&sort=own${query}`, user(1))
    expect(photos.map(({ id }) => id)).toEqual(expected)
  }
  for (const query of ['', '&q=lighthouse']) {
    for (const [index, id] of expected.entries()) {
      const path = `/api/photos/${id}/index?folder=${folder}&sort=own${query}`
      expect(await media.json(path, user(1))).toEqual({ index })
    }
  }
  expect(await media.json(`/api/photos/months?folder=${folder}&sort=own`, user(1))).toEqual({ months: null })
  for (const path of ['/api/photos?sort=own', '/api/photos?sort=own&folder=none', '/api/photos/months?sort=own'])
    expect((await media.call(path, user(1))).status).toBe(400)
})

test('only the owner arranges a folder, and only its photos, each once', async () => {
  const folder = newFolder()
  const [a = 0, b = 0] = await addPhotos(folder, 2)
  const [elsewhere = 0] = await addPhotos(newFolder(), 1)
  expect(await put(folder, [b, a], undefined, 2)).toBe(404)
  expect(await put(999_999, [b, a])).toBe(404)
  for (const ids of [[a, elsewhere], [a, 2 ** 31 - 1], [a, a], [0]]) expect(await put(folder, ids)).toBe(400)
  expect(await put(folder, [a], a)).toBe(400)
  expect(await put(folder, [a], elsewhere)).toBe(400)
  expect(await readOrder(folder)).toEqual([a, b])
})

test('a list continues behind every position that moves lead to, and behind nothing else', async () => {
  const folder = newFolder()
  // Of moves to the front, and between 0 and 1 until no number is left.
  const positions = [-(2 ** 53), -1 / 3, 0, Number.MIN_VALUE, 2e-308 / 3, 1e-100 / 3, 1e-6 / 3, 1e-5 / 3, 1 / 3, 1]
  const ids = await addPhotos(folder, positions.length + 2)
  for (const [index, ownPosition] of positions.entries())
    await media.db.photo.update({ where: { id: ids[index] ?? 0 }, data: { ownPosition } })
  expect(await readOrder(folder, 1)).toEqual(ids)
  for (const position of ['', 'one', 'NaN', '1e999', '1e-999', '01']) {
    const cursor = Buffer.from(`2026-11-28T00:00:00.000Z 1 ${position}`).toString('base64url')
    const path = `/api/folders/${folder}/photos?sort=own&limit=1&cursor=${cursor}`
    expect((await media.call(path, user(1))).status).toBe(400)
  }
})

test('a move publishes the moved photo and no other one', async () => {
  const folder = newFolder()
  const ids = await addPhotos(folder, 6)
  const [first = 0, second = 0, , , , last = 0] = ids
  await put(folder, ids)
  const before = await revisionsOf(ids)
  await media.db.outbox.deleteMany({ where: PHOTO_EVENTS })
  await put(folder, [last], second)
  const events = await media.db.outbox.findMany({ where: PHOTO_EVENTS })
  const published = events.map(({ payload }) => fromBinary(PhotoChangedSchema, payload).photo)
  expect(published).toMatchObject([{ id: last, ownPosition: 1.5 }])
  expect(await revisionsOf(ids)).toEqual(new Map(before).set(last, (before.get(last) ?? 0) + 1))
  expect(await readOrder(folder)).toEqual([first, last, ...ids.slice(1, -1)])
})

test('the raw file of a pair keeps the position of its JPEG', async () => {
  const folder = newFolder()
  const [a = 0, jpeg = 0, raw = 0] = await addPhotos(folder, 3)
  await media.db.photo.update({ where: { id: raw }, data: { purpose: 'raw', pairedWith: jpeg } })
  await media.db.photo.update({ where: { id: jpeg }, data: { pairedWith: raw } })
  expect(await put(folder, [jpeg, a])).toBe(204)
  expect(await put(folder, [raw], a)).toBe(400)
  expect(await readOrder(folder)).toEqual([jpeg, a])
  expect(await media.photo(raw)).toMatchObject({ ownPosition: 1, revision: 2 })
})

test('two moves at the same time both happen', async () => {
  const folder = newFolder()
  const ids = await addPhotos(folder, 20)
  await put(folder, ids)
  const [target = 0, ...others] = ids
  const statuses = await Promise.all(others.slice(0, 2).map((id) => put(folder, [id], target)))
  expect(statuses).toEqual([204, 204])
  const order = await readOrder(folder, 50)
  expect(new Set(order.slice(0, 2))).toEqual(new Set(others.slice(0, 2)))
  expect(order.slice(2)).toEqual([target, ...others.slice(2)])
})

test('a folder arranged by any changes has the order of a list that was changed the same way', async () => {
  const step = fc.record({
    kind: fc.constantFrom('move', 'move', 'move', 'to end', 'whole', 'add', 'delete', 'leave', 'return'),
    at: fc.nat(),
    to: fc.nat(),
    count: fc.integer({ min: 1, max: 3 }),
  })
  const run = async (steps: { kind: string; at: number; to: number; count: number }[]) => {
    const folder = newFolder()
    const elsewhere = newFolder()
    const placing = { db: media.db, folders: media.worker.folders, userId: 1 }
    const arranged: number[] = []
    let unarranged = await addPhotos(folder, 5)
    const away: number[] = []
    for (const { kind, at, to, count } of steps) {
      const model = [...arranged, ...unarranged]
      const taken = model.filter((_, index) => (index - at) % Math.max(model.length, 1) >= 0).slice(0, count)
      const chosen = taken.length > 0 ? taken : model.slice(0, count)
      const rest = model.filter((id) => !chosen.includes(id))
      if (kind === 'add') unarranged.push(...(await addPhotos(folder, count)))
      if (kind === 'return' && away.length > 0) {
        const back = away.splice(0, 1)
        await movePhotos(placing, back, folder)
        unarranged = [...unarranged, ...back].sort((a, b) => a - b)
      }
      if (kind === 'whole') {
        await arrangePhotos(media.db, 1, folder, model.toReversed())
        arranged.splice(0, arranged.length, ...model.toReversed())
        unarranged = []
      }
      if (kind === 'delete') await deletePhotos(media.db, chosen, user(1) as never)
      if (kind === 'leave') away.push(...(await movePhotos(placing, chosen, elsewhere)).map(({ id }) => id))
      if (kind === 'delete' || kind === 'leave') {
        arranged.splice(0, arranged.length, ...arranged.filter((id) => !chosen.includes(id)))
        unarranged = unarranged.filter((id) => !chosen.includes(id))
      }
      if ((kind === 'move' && rest.length > 0) || kind === 'to end') {
        const target = kind === 'move' ? to % rest.length : rest.length
        const before = rest[target] ?? null
        const positions = await revisionsOf(rest)
        await arrangePhotos(media.db, 1, folder, chosen, before)
        // No photo behind the target that has no position gets one, and of the others only those without one in front of it.
        const known = new Set(unarranged)
        const now = await revisionsOf(rest)
        const changed = rest.filter((id) => now.get(id) !== positions.get(id))
        expect(changed).toEqual(rest.slice(0, target).filter((id) => known.has(id)))
        unarranged = unarranged.filter((id) => rest.indexOf(id) >= target)
        const order = [...rest.slice(0, target), ...chosen, ...rest.slice(target)]
        arranged.splice(0, arranged.length, ...order.filter((id) => !unarranged.includes(id)))
      }
      expect(await readOrder(folder, 4)).toEqual([...arranged, ...unarranged])
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), run), { numRuns: 15 })
}, 60_000)

test('positions are numbered again when there is no number left between two', () => {
  const order = [
    { id: 1, position: 1 },
    { id: 2, position: 1 + Number.EPSILON },
    { id: 3, position: 7 },
    { id: 4, position: null },
  ]
  expect(moveBefore(order, [3], 2)).toEqual([
    { id: 1, position: 1 },
    { id: 3, position: 2 },
    { id: 2, position: 3 },
    { id: 4, position: null },
  ])
})

test('a thousand moves between the same two photos keep the order', () => {
  let order = [1, 2, 3, 4].map((id) => ({ id, position: id as number | null }))
  for (let move = 0; move < 1000; move += 1) {
    const [, second, third] = order
    order = moveBefore(order, [third?.id ?? 0], second?.id ?? 0)
    const positions = order.map(({ position }) => position ?? 0)
    expect(new Set(positions).size).toBe(4)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  }
})

test('no more photos get positions than one change writes', () => {
  const order = Array.from({ length: MAX_ARRANGED + 1 }, (_, index) => ({ id: index + 1, position: null }))
  expect(() => moveBefore(order, [1], null)).toThrow('Only the first 5,000 photos of a folder can be arranged.')
  expect(moveBefore(order, [MAX_ARRANGED + 1], 1)[0]).toEqual({ id: MAX_ARRANGED + 1, position: 1 })
})
