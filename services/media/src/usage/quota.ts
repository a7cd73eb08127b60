import { AppError } from '@skyfolio/kit'
import type pg from 'pg'
import type { Transaction } from '../database.ts'

/** Bytes that a user's photos take, and may take; null: as many as there are. */
export interface Quota {
  used: number
  limit: number | null
}

/** What an upload of a user depends on, besides its form. */
export interface UploadTerms extends Quota {
  publicByDefault: boolean
}

export const QUOTA_EXCEEDED = 'quota_exceeded'

const UNITS = ['Bytes', 'KB', 'MB', 'GB']

/** SQL of a table with one row, the `UploadTerms` of the user $1. The default quota is $2. */
export const UPLOAD_TERMS = `(SELECT coalesce(users.public_by_default, true) AS "publicByDefault",
    coalesce(users.quota, $2::bigint)::float8 AS "limit", coalesce(usage.bytes, 0)::float8 AS used
  FROM (SELECT $1::int AS id) AS uploader
  LEFT JOIN users ON users.id = uploader.id AND NOT users.deleted
  LEFT JOIN user_usage AS usage ON usage.user_id = uploader.id) AS terms`

/** Reads the terms of a user's upload. `defaultQuota` holds for users without an own one. */
export async function readUploadTerms(
  pool: pg.Pool,
  userId: number,
  defaultQuota: number | null,
): Promise<UploadTerms> {
  const { rows } = await pool.query<UploadTerms>({
    name: 'upload-terms',
    text: `SELECT * FROM ${UPLOAD_TERMS}`,
    values: [userId, defaultQuota],
  })
  const [terms] = rows
  if (!terms) throw new Error('no terms of an upload')
  return terms
}

/** Reads the bytes that the user's photos take. Under the lock of the user's uploads no upload adds to them. */
export async function readUsedBytes(tx: Transaction, userId: number): Promise<number> {
  const usage = await tx.userUsage.findUnique({ where: { userId } })
  return Number(usage?.bytes ?? 0)
}

/** Bytes that are left; without a quota there is no end of them. */
export function bytesLeft({ used, limit }: Quota): number {
  return limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used)
}

/** 413, for an upload of which nothing is stored. */
export function quotaExceeded(quota: Quota, issues?: string[]): AppError {
  return new AppError(413, QUOTA_EXCEEDED, sentenceOf('This upload', quota), { issues })
}

/** For one file, which it names. `quota` has what the other files of its upload use, too. */
export function fileExceedsQuota(displayName: string, quota: Quota): AppError {
  return new AppError(413, QUOTA_EXCEEDED, sentenceOf(displayName, quota))
}

function sentenceOf(subject: string, quota: Quota): string {
  const sizes = `${formatBytes(bytesLeft(quota))} of ${formatBytes(quota.limit ?? 0)} left`
  return `${subject} does not fit into your storage: ${sizes}. Delete photos to upload more.`
}

/** As the web application shows sizes: '0 Bytes', '24.81 MB'. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(2)} ${UNITS[power]}`
}
