import type { FailedJob } from '../../api/types.ts'

const KINDS: Record<FailedJob['queue'], string> = {
  photos: 'Photo',
  'print-images': 'Print image',
  exports: 'Export',
}
/** So many digits of the random ids of print images and exports tell them apart; those of photos are numbers. */
const SHORT_ID = 8

/** 'Photo 12' for the job `photo-12-0`. */
export function nameOfJob({ queue, id }: Pick<FailedJob, 'queue' | 'id'>): string {
  const subject = id.split('-').at(-2) ?? ''
  return `${KINDS[queue]} ${queue === 'photos' ? subject : subject.slice(0, SHORT_ID)}`
}
