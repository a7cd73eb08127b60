/** Where images of orders are found: by browsers, and by the partner. */
export interface ImageOrigins {
  publicOrigin: string
  printImageOrigin: string
}

const PATH = '/api/uploads/'
/** Name of a print image as media makes it: id, expiry, signature. */
const FILENAME = /^p-([0-9a-f]{32})-([0-9a-z]{1,12})-[0-9a-f]{32}\.jpg$/

/** Origins without a trailing slash. */
export function imageOrigins(publicOrigin: string, printImageOrigin: string | undefined): ImageOrigins {
  return {
    publicOrigin: new URL(publicOrigin).origin,
    printImageOrigin: new URL(printImageOrigin ?? publicOrigin).origin,
  }
}

/** The file name in a URL of ours; null for any other text. Whether the image exists and whose it is, media knows. */
export function filenameIn(url: string, { publicOrigin, printImageOrigin }: ImageOrigins): string | null {
  const prefix = [publicOrigin, printImageOrigin].map((origin) => origin + PATH).find((start) => url.startsWith(start))
  if (prefix === undefined) return null
  const filename = url.slice(prefix.length)
  return FILENAME.test(filename) ? filename : null
}

/** The part of a file name that stays the same when its expiry is extended. */
export function imageIdOf(filename: string): string {
  return FILENAME.exec(filename)?.[1] ?? filename
}

/** Until when an image of an order can be fetched, by its path; null for any other text. */
export function expiryOf(path: string): Date | null {
  const expiry = FILENAME.exec(path.slice(PATH.length))?.[2]
  return expiry === undefined ? null : new Date(Number.parseInt(expiry, 36) * 1000)
}

/** The path that an order keeps; `absoluteUrl` completes it. */
export function imagePath(filename: string): string {
  return PATH + filename
}

export function absoluteUrl(origin: string, path: string): string {
  return origin + path
}
