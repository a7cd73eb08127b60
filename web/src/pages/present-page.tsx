import { useParams } from 'react-router-dom'
import { FolderNotFound } from '../features/folders/folder-not-found.tsx'
import { Presenter } from '../features/folders/presenter.tsx'
import { parseId } from '../lib/parse-id.ts'

export default function PresentPage() {
  const id = parseId(useParams().id)
  // Dark whatever the theme is: a beamer lights the room.
  return (
    <div data-theme="dark" className="fixed inset-0 z-40 overflow-y-auto bg-bg text-text">
      {id === null ? <FolderNotFound /> : <Presenter key={id} folderId={id} />}
    </div>
  )
}
