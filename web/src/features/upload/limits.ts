import type { AppConfig } from '../../api/types.ts'
import { formatBytes, formatMegabytes } from '../../lib/format.ts'

/** A format that this installation accepts. */
export type UploadFormat = AppConfig['formats'][number]

export const LIST = new Intl.ListFormat('en-US')

/** 'JPEG, PNG, TIFF, GIF, BMP, and DNG'. */
export function formatNames(formats: readonly UploadFormat[]): string {
  return LIST.format(formats.map(({ name }) => name))
}

/** The hint under the file picker. */
export function uploadHint({ limits, formats }: AppConfig): string {
  const files = `max ${limits.filesPerUpload} files per request; larger selections are sent in groups`
  return [`up to ${formatMegabytes(limits.fileBytes)} each, ${files}`, ...otherSizes(limits, formats)].join('; ')
}

/** The formats and their size limits: 'JPEG, TIFF, and DNG up to 25MB each, but TIFF and DNG up to 150MB'. */
export function sizeRule({ limits, formats }: AppConfig): string {
  const rule = `${formatNames(formats)} up to ${formatMegabytes(limits.fileBytes)} each`
  const others = otherSizes(limits, formats)
  return others.length > 0 ? `${rule}, but ${others.join(', ')}` : rule
}

/** The formats whose limit is not the usual one: 'TIFF and DNG up to 150MB'. */
function otherSizes({ fileBytes }: AppConfig['limits'], formats: readonly UploadFormat[]): string[] {
  const others = formats.filter(({ maxBytes }) => maxBytes !== fileBytes)
  const bySize = Map.groupBy(others, ({ maxBytes }) => maxBytes)
  return [...bySize].map(([bytes, group]) => `${formatNames(group)} up to ${formatMegabytes(bytes)}`)
}

/** The types offered by the file dialog. */
export function acceptList(formats: readonly UploadFormat[]): string {
  return formats.flatMap(({ mediaType, extensions }) => [mediaType, ...extensions]).join(',')
}

/** The format by a file's name or type; the server checks the content. */
export function formatOf(file: File, formats: readonly UploadFormat[]): UploadFormat | undefined {
  const name = file.name.toLowerCase()
  return (
    formats.find(({ extensions }) => extensions.some((extension) => name.endsWith(extension))) ??
    formats.find(({ mediaType }) => mediaType === file.type)
  )
}

/** Why the server would reject a file, or null. */
export function rejectionReason({ file, bytes }: { file: File; bytes: number }, format: UploadFormat): string | null {
  if (bytes === 0) return `${file.name} is empty.`
  if (bytes <= format.maxBytes) return null
  return `${file.name} is ${formatBytes(bytes)}: larger than ${formatMegabytes(format.maxBytes)}.`
}
