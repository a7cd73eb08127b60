import type { Database, Transaction } from '../database.ts'
import type { Photo, Prisma } from '../generated/client.ts'

/** Each has an index of its own by user and time. */
const PURPOSES = ['gallery', 'metadata']

/** Counts the user's photos that match. */
export async function countPhotos(
  tx: Database | Transaction,
  userId: number,
  matching: Prisma.PhotoWhereInput = {},
): Promise<number> {
  let count = 0
  for (const purpose of PURPOSES) count += await tx.photo.count({ where: { ...matching, userId, purpose } })
  return count
}

/** The user's photos that match in pages, the oldest first, those of the metadata screen at the end. */
export async function* listPhotos(
  tx: Database | Transaction,
  userId: number,
  pageSize: number,
  matching: Prisma.PhotoWhereInput = {},
): AsyncGenerator<Photo[]> {
  for (const purpose of PURPOSES) {
    for (let last: Photo | undefined; ; ) {
      const photos: Photo[] = await tx.photo.findMany({
        where: { AND: [matching, last ? after(last) : {}], userId, purpose },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: pageSize,
      })
      if (photos.length > 0) yield photos
      if (photos.length < pageSize) break
      last = photos.at(-1)
    }
  }
}

function after({ createdAt, id }: Photo): Prisma.PhotoWhereInput {
  return { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { id: { gt: id } }] }
}
