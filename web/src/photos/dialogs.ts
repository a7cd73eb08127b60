// What screens of a user's photos load after their first pictures, as one file.
export { BulkDialogs } from './browser/bulk-dialogs.tsx'
export { FilterSheet } from './browser/filter-sheet.tsx'
export { HelpDialog } from './browser/help-dialog.tsx'
export { DownloadDialog } from './download-dialog.tsx'
export { PhotoDialogs } from './grid/photo-dialogs.tsx'
