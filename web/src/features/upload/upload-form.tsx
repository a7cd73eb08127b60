import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { foldersQuery } from '../../api/queries.ts'
import type { AppConfig, Folder, User } from '../../api/types.ts'
import { Checkbox, Field, Select, Textarea } from '../../components/ui/field.tsx'
import { FilePicker } from './file-picker.tsx'
import { choose } from './limits.ts'
import type { Notice } from './notices.ts'
import { Previews } from './previews.tsx'
import { Requirements } from './requirements.tsx'
import { changeDraft, type Draft, startUpload } from './session.ts'

const MAX_DESCRIPTION = 5_000

interface UploadFormProps {
  /** Of the form element: its button is in the dialog's footer. */
  id: string
  user: User
  config: AppConfig
  draft: Draft
  problem: Notice | null
}

/** What to upload, and where to. */
export function UploadForm({ id, user, config, draft, problem }: UploadFormProps) {
  const client = useQueryClient()
  const folders = useQuery(foldersQuery)
  const picker = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string>()
  const folder = folders.data?.find(({ id }) => id === draft.folderId) ?? null
  const isPublic = draft.isPublic ?? user.publicByDefault

  function submit(): void {
    if (draft.files.length === 0) {
      setError('At least one photo is required')
      picker.current?.focus()
      return
    }
    const fields = {
      description: draft.description.trim(),
      folderId: draft.folderId,
      isPublic: folder?.isPublic ?? isPublic,
    }
    startUpload(client, fields, config.limits.filesPerUpload)
  }

  function setFiles(files: File[], leftOut: string[] = []): void {
    setError(undefined)
    changeDraft({ files, leftOut })
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
      {problem && <Problem notice={problem} />}
      <Requirements config={config} />
      <FilePicker
        ref={picker}
        config={config}
        error={error}
        onChoose={(chosen) => {
          const { files, leftOut } = choose(draft.files, chosen, config)
          setFiles(files, leftOut)
        }}
      />
      <IssueList issues={draft.leftOut} />
      <Previews files={draft.files} onChange={setFiles} />
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
      <Field label="Folder">
        {(control) => (
          <Select
            {...control}
            value={folder?.id ?? 'none'}
            onChange={({ target }) => changeDraft({ folderId: target.value === 'none' ? null : Number(target.value) })}
          >
            <option value="none">No folder</option>
            {folders.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {folder ? (
        <FolderFlag folder={folder} />
      ) : (
        <Checkbox
          label="Public"
          hint="Visitors see a public photo once it lies in a public folder."
          checked={isPublic}
          onChange={(event) => changeDraft({ isPublic: event.target.checked })}
        />
      )}
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

function Problem({ notice }: { notice: Notice }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={box} role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-sm text-danger">
      <p className="font-semibold">{notice.title}</p>
      <p className="wrap-anywhere">{notice.description}</p>
    </div>
  )
}

/** Files that are not part of the upload, and why. */
export function IssueList({ issues }: { issues: string[] }) {
  if (issues.length === 0) return null
  return (
    <ul role="alert" className="grid list-disc gap-1 rounded-md bg-warn-soft py-3 pr-4 pl-8 text-sm text-warn">
      {issues.map((issue) => (
        <li key={issue} className="wrap-anywhere">
          {issue}
        </li>
      ))}
    </ul>
  )
}
