const MIB = 1024 * 1024

/** Limits of an upload: media enforces them, the gateway publishes them. */
export interface UploadLimits {
  filesPerUpload: number
  fileBytes: number
  /** Of a DNG or TIFF. */
  largeFileBytes: number
  /** Of a file that the metadata screen takes. */
  metadataFileBytes: number
  /** In pixels. */
  minWidth: number
  minHeight: number
  /** Width times height. */
  maxPixels: number
}

/** Those that are no settings: the pages, which send larger selections in groups, and the smallest print are made for them. */
export const FIXED_UPLOAD_LIMITS = { filesPerUpload: 10, metadataFileBytes: 50 * MIB, minWidth: 300, minHeight: 300 }

/** The accepted formats, by the extension that media gives their files. Large ones have a limit of their own. */
export const UPLOAD_FORMATS = {
  jpg: { name: 'JPEG', mediaType: 'image/jpeg', extensions: ['.jpg', '.jpeg'], large: false },
  png: { name: 'PNG', mediaType: 'image/png', extensions: ['.png'], large: false },
  tif: { name: 'TIFF', mediaType: 'image/tiff', extensions: ['.tif', '.tiff'], large: true },
  gif: { name: 'GIF', mediaType: 'image/gif', extensions: ['.gif'], large: false },
  bmp: { name: 'BMP', mediaType: 'image/bmp', extensions: ['.bmp'], large: false },
  dng: { name: 'DNG', mediaType: 'image/x-adobe-dng', extensions: ['.dng'], large: true },
}

export type Format = keyof typeof UPLOAD_FORMATS

/** The largest file of this format, in bytes. */
export function maxBytesOf(format: Format, limits: Pick<UploadLimits, 'fileBytes' | 'largeFileBytes'>): number {
  return UPLOAD_FORMATS[format].large ? limits.largeFileBytes : limits.fileBytes
}

/** The accepted formats as pages show them. */
export function uploadFormats(limits: Pick<UploadLimits, 'fileBytes' | 'largeFileBytes'>) {
  return (Object.keys(UPLOAD_FORMATS) as Format[]).map((format) => {
    const { name, mediaType, extensions } = UPLOAD_FORMATS[format]
    return { name, mediaType, extensions, maxBytes: maxBytesOf(format, limits) }
  })
}

/** Sizes of the parts of an upload session. S3 takes no part below 5 MiB but the last one. */
export const UPLOAD_PARTS = { minBytes: 5 * MIB, defaultBytes: 8 * MIB, maxBytes: 32 * MIB }
