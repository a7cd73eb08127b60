/** Why an upload stopped before all of its files were sent. */
export type Failure =
  | { reason: 'server'; message: string | null; issues: string[] }
  | { reason: 'signed-out' }
  | { reason: 'network' }
  | { reason: 'cancelled' }
  | { reason: 'unreadable' }

/** What became of one upload request. `refused`: none of its files was acceptable, but the next request's may be. */
export type Answer =
  | { kind: 'stored'; photoIds: number[]; issues: string[] }
  | { kind: 'refused'; message: string | null; issues: string[] }
  | { kind: 'failed'; failure: Failure }

interface AnswerBody {
  id?: number
  photos?: { id: number }[]
  message?: string
  issues?: string[]
}

/** Reads the answer of POST /api/upload-photo (a photo) or /api/upload-photos ({ photos, issues }). */
export function readAnswer(status: number, text: string): Answer {
  const body = parse(text)
  if (status >= 200 && status < 300) return readSuccess(body)
  if (status === 401) return { kind: 'failed', failure: { reason: 'signed-out' } }
  const message = body?.message ?? null
  const issues = body?.issues ?? []
  if ([400, 413, 415].includes(status) && issues.length > 0) return { kind: 'refused', message, issues }
  return { kind: 'failed', failure: { reason: 'server', message, issues } }
}

function readSuccess(body: AnswerBody | null): Answer {
  if (typeof body?.id === 'number') return { kind: 'stored', photoIds: [body.id], issues: body.issues ?? [] }
  if (Array.isArray(body?.photos)) {
    return { kind: 'stored', photoIds: body.photos.map((photo) => photo.id), issues: body.issues ?? [] }
  }
  return { kind: 'failed', failure: { reason: 'unreadable' } }
}

function parse(text: string): AnswerBody | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
