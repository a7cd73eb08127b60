import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { foldersQuery } from '../../api/queries.ts'
import type { AppConfig, Folder, User } from '../../api/types.ts'
import { Checkbox, Field, Textarea } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { changeDraft, useUploadDialogState } from './dialog-state.ts'
import { EarlierFiles } from './earlier-files.tsx'
import { FilePicker } from './file-picker.tsx'
import { FolderSelect } from './folder-select.tsx'
import { IssueList } from './issue-list.tsx'
import { Previews } from './previews.tsx'
import { Requirements } from './requirements.tsx'
import { StorageLeft } from './storage-left.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { addChosenFiles, startUpload } from './upload-actions.ts'

const MAX_DESCRIPTION = 5_000

interface UploadFormProps {
  /** Id of the form element, whose button is in the dialog's footer. */
  id: string
  user: User
  config: AppConfig
}

/** The form of an upload: files, description, folder and visibility. */
export function UploadForm({ id, user, config }: UploadFormProps) {
  const { draft, reading } = useUploadDialogState()
  const folders = useQuery(foldersQuery)
  const picker = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState(false)
  const folder = folders.data?.find(({ id }) => id === draft.folderId) ?? null
  const isPublic = draft.isPublic ?? user.publicByDefault
  const hasFiles = draft.photos.length > 0 || reading

  function submit(): void {
    if (draft.photos.length === 0) {
      setMissing(true)
      toast({ title: 'Upload failed', description: 'Please select at least one photo to upload', tone: 'danger' })
      picker.current?.focus()
      return
    }
    const fields = { description: draft.description.trim(), folderId: folder?.id ?? null }
    startUpload({ ...fields, isPublic: folder?.isPublic ?? isPublic }, config)
  }

  return (
    <form
      id={id}
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <EarlierFiles />
      <UnfinishedUploads />
      <Requirements config={config} compact={hasFiles} />
      <FilePicker
        ref={picker}
        config={config}
        compact={hasFiles}
        error={missing && draft.photos.length === 0 ? 'At least one photo is required' : undefined}
        onChoose={addChosenFiles}
      />
      <IssueList issues={draft.issues} />
      <Previews draft={draft} reading={reading} />
      <StorageLeft chosenBytes={draft.bytes} />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <FolderSelect
          folders={folders.data ?? []}
          folderId={folder?.id ?? null}
          onChange={(folderId) => changeDraft({ folderId })}
        />
        {folder ? (
          <FolderFlag folder={folder} />
        ) : (
          <Checkbox
            label="Public"
            hint="Visitors see a public photo once it is in a public folder."
            checked={isPublic}
            onChange={(event) => changeDraft({ isPublic: event.target.checked })}
          />
        )}
      </div>
      <Field label="Description" optional>
        {(control) => (
          <Textarea
            {...control}
            maxLength={MAX_DESCRIPTION}
            rows={2}
            className="min-h-18"
            value={draft.description}
            onChange={(event) => changeDraft({ description: event.target.value })}
          />
        )}
      </Field>
    </form>
  )
}

function FolderFlag({ folder }: { folder: Folder }) {
  return (
    <p className="text-sm text-muted">
      {folder.isPublic
        ? `“${folder.name}” is public, so these photos will be public too.`
        : `“${folder.name}” is private, so these photos will be private too.`}
    </p>
  )
}
