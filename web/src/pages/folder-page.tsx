import { useParams } from 'react-router-dom'
import { FolderNotFound } from '../features/folders/folder-not-found.tsx'
import { FolderScreen } from '../features/folders/folder-screen.tsx'
import { openUpload } from '../features/upload/dialog-state.ts'
import { parseId } from '../lib/parse-id.ts'

export default function FolderPage() {
  const id = parseId(useParams().id)
  return (
    <div className="page pt-5">
      {id === null ? <FolderNotFound /> : <FolderScreen key={id} folderId={id} onUpload={() => openUpload(id)} />}
    </div>
  )
}
