import { NEXT_RUN } from '../jobs/job-rows.ts'

/** Columns of a photo that waits for processing as if it were new. Its renditions stay until new ones replace them. */
export const waitingForProcessing = () => ({ status: 'processing', ...NEXT_RUN, requestedAt: new Date() }) as const

/** Columns of a photo whose original is not the file that the client announced. */
export const WRONG_FILE = {
  status: 'failed',
  statusMessage:
    'This is not the file that was announced: it changed while it was being uploaded. Delete this photo and choose the file again.',
} as const

/** Columns of a photo whose original is not in the object store. */
export const ORIGINAL_MISSING = { status: 'failed', statusMessage: 'The original file is missing.' } as const
