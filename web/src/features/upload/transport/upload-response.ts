import { ERROR_TEXTS } from '../error-texts.ts'
import type { FileOutcome, PhotoStatus, SendResult } from '../queue/deps.ts'

const QUOTA_EXCEEDED = 'quota_exceeded'

interface UploadResponseBody extends Partial<PhotoStatus> {
  duplicate?: boolean
  photos?: PhotoStatus[]
  files?: { photoId: number | null; duplicate: boolean; issue: string | null; code?: string | null }[]
  code?: string
  message?: string
  issues?: string[]
}

/**
 * Reads the response to an upload of `count` files: one photo from POST /api/upload-photo, a list from
 * /api/upload-photos.
 */
export function readUploadResponse(
  status: number,
  text: string,
  count: number,
  retryAfter: string | null = null,
): SendResult {
  const body = parse(text)
  if (status >= 200 && status < 300) return readSuccess(body, count)
  if (status === 401) return { kind: 'signed-out' }
  const reason = body?.message ?? ERROR_TEXTS.other
  if ([429, 502, 503, 504].includes(status)) return retryable('busy', reason, retryAfter)
  if (status >= 500) return retryable('broken', reason, retryAfter)
  if (![400, 413, 415].includes(status)) return { kind: 'failed', reason }
  const issues = body?.issues ?? []
  if (body?.code === QUOTA_EXCEEDED)
    return { kind: 'no-room', reason: issues.length === 1 ? (issues[0] ?? reason) : reason }
  if (issues.length === count) {
    const outcomes = issues.map((issue) => ({ issue }))
    return { kind: 'completed', outcomes, notes: [], message: body?.message ?? null }
  }
  if (status === 413) return { kind: 'too-large', reason: issues[0] ?? reason }
  return {
    kind: 'completed',
    outcomes: Array.from({ length: count }, () => ({ issue: reason })),
    notes: [],
    message: null,
  }
}

function retryable(why: 'busy' | 'broken', reason: string, retryAfter: string | null): SendResult {
  return { kind: 'retryable', why, reason, afterMs: retryAfterMs(retryAfter) }
}

/** Retry-After is a number of seconds or a date. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}

function readSuccess(body: UploadResponseBody | null, count: number): SendResult {
  const outcomes = body && outcomesOf(body)
  if (outcomes?.length !== count) return { kind: 'failed', reason: ERROR_TEXTS.unreadable }
  const ofFiles = new Set(outcomes.map((outcome) => ('issue' in outcome ? outcome.issue : null)))
  const notes = (body?.issues ?? []).filter((issue) => !ofFiles.has(issue))
  return { kind: 'completed', outcomes, notes, message: null }
}

function outcomesOf(body: UploadResponseBody): FileOutcome[] | null {
  if (typeof body.id === 'number') {
    return [{ photo: statusOf(body.id, body), duplicate: body.duplicate === true }]
  }
  if (!Array.isArray(body.files)) return null
  const photos = new Map(body.photos?.map((photo) => [photo.id, photo]))
  return body.files.map(({ photoId, duplicate, issue, code }) =>
    photoId === null
      ? { issue: issue ?? ERROR_TEXTS.other, ...(code === QUOTA_EXCEEDED && { noRoom: true }) }
      : { photo: statusOf(photoId, photos.get(photoId)), duplicate },
  )
}

function statusOf(id: number, known: Partial<PhotoStatus> | undefined): PhotoStatus {
  return { id, status: known?.status ?? 'processing', statusMessage: known?.statusMessage ?? null }
}

function parse(text: string): UploadResponseBody | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
