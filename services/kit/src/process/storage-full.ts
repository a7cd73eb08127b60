import { errorChain } from '../postgres/database.ts'

/** The code of `insufficientStorage`. */
export const STORAGE_FULL = 'storage_full'

/** Of the file system, of PostgreSQL, and of S3 servers. `SlowDown` is none of them: that server is busy. */
const CODES = new Set([
  STORAGE_FULL,
  ...['ENOSPC', 'EDQUOT'],
  '53100',
  ...['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'QuotaExceeded', 'InsufficientStorage'],
])

/** Whether the error, or one of its causes, means that nothing more can be stored until somebody makes room. */
export function isStorageFull(error: unknown): boolean {
  return errorChain(error).some(({ code, originalCode }) => CODES.has(String(code)) || CODES.has(String(originalCode)))
}
