import { useFileDrop } from '../../lib/files.ts'

/** Takes the first file dropped anywhere on the screen; true while files are dragged over it. */
export function useDroppedFile(onFile: (file: File) => void): boolean {
  return useFileDrop({
    // Handled before the window's listener, which uploads: files taken here are not uploaded.
    target: document,
    // An open dialog covers the screen.
    accepts: () => document.querySelector('[role*="dialog"]') === null,
    onDrop: ({ files: [file] }) => {
      if (file) onFile(file)
    },
  })
}
