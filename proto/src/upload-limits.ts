/** The limits of an upload with their environment variables: media enforces them, the gateway publishes them. */
export const UPLOAD_LIMITS = {
  filesPerUpload: { variable: 'UPLOAD_MAX_FILES', default: 10, describe: 'Files in one upload' },
  fileBytes: {
    variable: 'UPLOAD_MAX_FILE_BYTES',
    default: 25 * 1024 * 1024,
    describe: 'Size of an uploaded file, in bytes',
  },
  largeFileBytes: {
    variable: 'UPLOAD_MAX_LARGE_FILE_BYTES',
    default: 150 * 1024 * 1024,
    describe: 'Size of an uploaded DNG or TIFF, in bytes',
  },
  metadataFileBytes: {
    variable: 'UPLOAD_MAX_METADATA_FILE_BYTES',
    default: 50 * 1024 * 1024,
    describe: 'Size of a file that the metadata screen takes, in bytes',
  },
  minWidth: { variable: 'UPLOAD_MIN_WIDTH', default: 300, describe: 'Least width of a photo, in pixels' },
  minHeight: { variable: 'UPLOAD_MIN_HEIGHT', default: 300, describe: 'Least height of a photo, in pixels' },
  maxPixels: {
    variable: 'UPLOAD_MAX_PIXELS',
    default: 300_000_000,
    describe: 'Most pixels of a photo, width times height',
  },
}

/** The values of `UPLOAD_LIMITS`. */
export type UploadLimits = Record<keyof typeof UPLOAD_LIMITS, number>

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

const MIB = 1024 * 1024

/** Sizes of the parts of an upload session. S3 takes no part below 5 MiB but the last one. */
export const UPLOAD_PARTS = { minBytes: 5 * MIB, defaultBytes: 8 * MIB, maxBytes: 32 * MIB }
