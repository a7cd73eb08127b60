import { extname } from 'node:path'
import { invalidFields } from '@skyfolio/kit'
import { type Format, maxBytesOf, UPLOAD_FORMATS, UPLOAD_PARTS, type UploadLimits } from '@skyfolio/proto'
import type pg from 'pg'
import type { Static } from 'typebox'
import { displayName, emptyFile, tooLarge } from '../uploads/rejections.ts'
import { cleanName, type UploadForm, withField } from '../uploads/upload-form.ts'
import { fileExceedsQuota, QUOTA_EXCEEDED, UPLOAD_TERMS } from '../usage/quota.ts'
import { type CreateBody, MAX_PARTS_PER_REQUEST } from './schemas.ts'

/** A file as its client declares it. */
export type DeclaredFile = Body['files'][number]

/** What the open upload sessions of one user may take, and how long they last. */
export const SESSION_LIMITS = {
  // Far more than browsers of one user have open at once; further files wait.
  sessionsPerUser: 200,
  // Size of their files, whatever is stored of them. Some 130 of the largest: abandoned ones take no more of the store.
  bytesPerUser: 20 * 1024 ** 3,
  // A week for somebody without a connection. The store itself ends uploads in parts after eight days.
  hours: 168,
}

export type SessionLimits = typeof SESSION_LIMITS

export interface SessionForm extends UploadForm {
  purpose: 'gallery' | 'metadata'
}

type Body = Static<typeof CreateBody>

const MIB = 1024 * 1024
const PART_SIZE = `Parts have ${UPLOAD_PARTS.minBytes / MIB} to ${UPLOAD_PARTS.maxBytes / MIB} MiB; only the last one may be shorter.`

const TWO_SIZES = 'Another file of this request has the same SHA-256, but not the same size.'

/** The fields of the form routes, as JSON. @throws AppError 400 */
export function readForm({ description, folderId, isPublic, metadata }: Body): SessionForm {
  const form: UploadForm = {
    description: null,
    isPublic: isPublic ?? null,
    folderId: folderId ?? null,
    purpose: 'gallery',
  }
  return { ...withField(form, 'description', description ?? ''), purpose: metadata ? 'metadata' : 'gallery' }
}

/** The files of a request, with names as photos keep them. @throws AppError 400 */
export function readFiles({ files }: Body, maxBytes: number): DeclaredFile[] {
  const total = files.reduce((sum, { parts }) => sum + parts.length, 0)
  if (total > MAX_PARTS_PER_REQUEST) {
    throw invalidFields({ files: `The files of one request may have ${MAX_PARTS_PER_REQUEST} parts together.` })
  }
  for (const [index, file] of files.entries()) {
    if (file.size <= maxBytes) checkParts(file, index)
    const first = files.find(({ sha256 }) => sha256 === file.sha256)
    if (first?.size !== file.size) throw invalidFields({ [`files.${index}.sha256`]: TWO_SIZES })
  }
  return files.map((file) => ({ ...file, name: cleanName(file.name) }))
}

/** Why no session is created for a file of this name and size: a sentence, and a code where there is one. */
export function findSizeRejection({ name, size }: DeclaredFile, form: SessionForm, limits: UploadLimits) {
  if (size === 0) return { issue: emptyFile(name).message }
  const format = form.purpose === 'gallery' ? formatOf(name) : undefined
  const maxBytes = format ? maxBytesOf(format, limits) : largestFile(form, limits)
  return size > maxBytes ? { issue: tooLarge(name, maxBytes).message, code: 'too_large' as const } : null
}

/** The format that the name announces. The content decides later, but the bytes of a file that is too large are not sent in vain. */
function formatOf(name: string): Format | undefined {
  const extension = extname(name).toLowerCase()
  return (Object.keys(UPLOAD_FORMATS) as Format[]).find((format) =>
    UPLOAD_FORMATS[format].extensions.includes(extension),
  )
}

/** The most that a file of any format may have. */
export function largestFile({ purpose }: SessionForm, limits: UploadLimits): number {
  return purpose === 'metadata' ? limits.metadataFileBytes : Math.max(limits.fileBytes, limits.largeFileBytes)
}

function checkParts({ size, partBytes, parts }: DeclaredFile, index: number): void {
  if (partBytes < UPLOAD_PARTS.minBytes || partBytes > UPLOAD_PARTS.maxBytes) {
    throw invalidFields({ [`files.${index}.partBytes`]: PART_SIZE })
  }
  if (parts.length !== Math.ceil(size / partBytes)) {
    throw invalidFields({ [`files.${index}.parts`]: 'Each part of the file needs its SHA-256.' })
  }
}

/** What a user's photos and open sessions take, and the quota. */
export interface Room {
  limit: number | null
  /** Bytes of photos. */
  used: number
  /** Open sessions, and the bytes of their files, which are reserved. */
  sessions: number
  staged: number
}

const TOO_MANY = 'Other uploads of yours are not finished. Please finish or discard them first.'

export async function readRoom(pool: pg.Pool, userId: number, defaultQuota: number | null): Promise<Room> {
  const { rows } = await pool.query<Room>({
    name: 'upload-room',
    text: `SELECT terms."limit", terms.used, open.sessions, open.staged
      FROM (SELECT count(*)::int AS sessions, coalesce(sum(size), 0)::float8 AS staged FROM upload_sessions
        WHERE user_id = $1 AND state IN ('open', 'completing')) AS open, ${UPLOAD_TERMS}`,
    values: [userId, defaultQuota],
  })
  const [room] = rows
  if (!room) throw new Error('no room of a user')
  return room
}

/** What is left for further files when these have sessions. */
export function withSession(room: Room, { size }: { size: number }): Room {
  return { ...room, sessions: room.sessions + 1, staged: room.staged + size }
}

/** Why there is no room for a session of the file: a sentence and a code. */
export function findRoomRejection({ name, size }: DeclaredFile, room: Room, limits: SessionLimits) {
  const { limit, used, sessions, staged } = room
  if (limit !== null && used + staged + size > limit) {
    const quota = { limit, used: used + staged }
    return { issue: fileExceedsQuota(displayName(name), quota).message, code: QUOTA_EXCEEDED } as const
  }
  if (sessions < limits.sessionsPerUser && staged + size <= limits.bytesPerUser) return null
  return hasToWait({ name })
}

export function hasToWait({ name }: Pick<DeclaredFile, 'name'>) {
  return { issue: `${displayName(name)} has to wait. ${TOO_MANY}`, code: 'too_many_uploads' } as const
}
