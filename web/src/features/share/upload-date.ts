import type { PublicPhoto } from '../../api/types.ts'
import { formatDate } from '../../lib/format.ts'

/** 'Uploaded June 21, 2025'. */
export function uploadDate({ createdAt }: PublicPhoto): string {
  const date = formatDate(createdAt)
  return date === null ? 'Unknown date' : `Uploaded ${date}`
}
