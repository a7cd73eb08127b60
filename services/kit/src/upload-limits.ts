import { setting } from './config.ts'

/** The limits of an upload: media enforces them, the gateway tells the pages. */
export const uploadLimitSettings = {
  filesPerUpload: setting.integer('UPLOAD_MAX_FILES', { default: 10, min: 1, describe: 'Files in one upload' }),
  fileBytes: setting.integer('UPLOAD_MAX_FILE_BYTES', {
    default: 25 * 1024 * 1024,
    min: 1,
    describe: 'Size of an uploaded file, in bytes',
  }),
  minWidth: setting.integer('UPLOAD_MIN_WIDTH', {
    default: 300,
    min: 1,
    describe: 'Least width of a photo, in pixels',
  }),
  minHeight: setting.integer('UPLOAD_MIN_HEIGHT', {
    default: 300,
    min: 1,
    describe: 'Least height of a photo, in pixels',
  }),
  maxPixels: setting.integer('UPLOAD_MAX_PIXELS', {
    default: 300_000_000,
    min: 1,
    describe: 'Most pixels of a photo, width times height',
  }),
}
