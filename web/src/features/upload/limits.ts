import type { AppConfig } from '../../api/types.ts'

const MEGABYTE = 1_048_576

/** '25MB', as the limits are written. */
export function megabytes(bytes: number): string {
  return `${Number((bytes / MEGABYTE).toFixed(1))}MB`
}

/** 'JPEG', or 'JPEG, PNG and TIFF': the formats that this installation takes. */
export function formatNames(formats: readonly string[]): string {
  const names = formats.map((type) => type.replace(/^image\/(x-adobe-)?/, '').toUpperCase())
  return new Intl.ListFormat('en-US').format(names)
}

/** The hint under the file picker. */
export function uploadHint({ limits, formats }: AppConfig): string {
  const each = `${formatNames(formats)} up to ${megabytes(limits.fileBytes)} each`
  return `${each}, max ${limits.filesPerUpload} files per request; larger selections are sent in groups`
}

/** Adds newly chosen files to the ones before, without repeats and without those that the server would refuse anyway. */
export function choose(before: readonly File[], chosen: readonly File[], { limits, formats }: AppConfig) {
  const files = [...before]
  const leftOut: string[] = []
  for (const file of chosen) {
    if (files.some((other) => isSame(other, file))) continue
    if (!formats.includes(file.type)) leftOut.push(`${file.name} is not a ${formatNames(formats)} file.`)
    else if (file.size > limits.fileBytes) leftOut.push(`${file.name} is larger than ${megabytes(limits.fileBytes)}.`)
    else files.push(file)
  }
  return { files, leftOut }
}

function isSame(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified
}
