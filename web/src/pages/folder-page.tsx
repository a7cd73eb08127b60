import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { folderQuery, userQuery } from '../api/queries.ts'
import { FolderNotFound, FolderScreen } from '../features/folders/folder-screen.tsx'
import { openUpload } from '../features/upload/dialog-state.ts'
import { parseId } from '../lib/parse-id.ts'
import { usePageTitle } from '../lib/routing.ts'

export default function FolderPage() {
  const folderId = parseId(useParams().id)
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {folderId === null ? <FolderNotFound /> : <SignedInFolder folderId={folderId} />}
    </div>
  )
}

function SignedInFolder({ folderId }: { folderId: number }) {
  const user = useQuery(userQuery)
  const folder = useQuery({ ...folderQuery(folderId), enabled: Boolean(user.data) })
  usePageTitle(folder.data?.name ?? 'Folder')
  return <FolderScreen key={folderId} folderId={folderId} onUpload={() => openUpload(folderId)} />
}
