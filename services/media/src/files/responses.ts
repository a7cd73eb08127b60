import { extname } from 'node:path'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { FastifyRequest } from 'fastify'
import { formatOf } from './object-keys.ts'
import { type ByteRange, parseRange } from './range-header.ts'

const SHOWN_BY_BROWSERS = new Set(['.jpg', '.png', '.gif', '.bmp', '.webp'])

/** Whether browsers can show a file of this name as an image. */
export function isShownByBrowsers(name: string): boolean {
  return SHOWN_BY_BROWSERS.has(extname(name))
}

/** The requested byte range; null for the whole file, also when If-Range names another version. */
export function requestedRange(
  { method, headers }: FastifyRequest,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const ifRange = headers['if-range']
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return null
  return parseRange(headers.range, size)
}

/** The name in ASCII for old clients, and in full for others. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_')
  const full = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`
}

/**
 * The name under which the file is saved. It ends with an extension of the true format: a file that claims to be a web
 * page must not become one on a user's disk.
 */
export function withTrueExtension(name: string, originalName: string): string {
  const { extensions } = UPLOAD_FORMATS[formatOf(name)]
  const isTrue = extensions.some((extension) => originalName.toLowerCase().endsWith(extension))
  return isTrue ? originalName : originalName + extname(name)
}
