import type { UploadResult } from './save-upload.ts'

/** 201 when something new was stored, 200 when all files were known. */
export function statusOf({ photos }: Pick<UploadResult, 'photos'>): 200 | 201 {
  return photos.every(({ duplicate }) => duplicate) ? 200 : 201
}

/** The photo of an upload of one file. */
export function toSinglePhoto({ photos: [photo], issues }: Pick<UploadResult, 'photos' | 'issues'>) {
  if (!photo) throw new Error('an upload without a photo')
  return issues.length > 0 ? { ...photo, issues } : photo
}
