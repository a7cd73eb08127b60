import { notFound } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import type { Folder } from '../generated/client.ts'

/** Returns the folder, locked against other changes but not against votes. Throws 404 unless its owner is allowed. */
export async function lockFolder(
  tx: Transaction,
  id: number,
  isAllowed: (ownerId: number) => boolean,
): Promise<Folder> {
  await tx.$queryRaw`SELECT FROM folders WHERE id = ${id} FOR NO KEY UPDATE`
  const folder = await tx.folder.findUnique({ where: { id } })
  if (!folder || !isAllowed(folder.userId)) throw notFound('Folder not found')
  return folder
}
