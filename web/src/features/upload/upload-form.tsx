import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Info } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { foldersQuery } from '../../api/queries.ts'
import type { AppConfig, Folder, User } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Select, Textarea } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { NewFolder } from '../../photos/folder-choice-dialog.tsx'
import { changeDraft, showQueue, useUploadDialogState } from './dialog-state.ts'
import { FilePicker, Previews } from './file-picker.tsx'
import { sizeRule } from './file-selection.ts'
import { IssueList, StorageLeft } from './notices.tsx'
import { RETRYABLE } from './queue/states.ts'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { queue, startUpload, useQueueVersion } from './upload-actions.ts'

/** The form of an upload: files, description, folder and visibility. Its button, in the dialog's footer, knows its id. */
export function UploadForm({ id, user, config }: { id: string; user: User; config: AppConfig }) {
  const { draft, reading } = useUploadDialogState()
  const folders = useQuery(foldersQuery)
  const picker = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState(false)
  const folder = folders.data?.find(({ id }) => id === draft.folderId) ?? null
  const isPublic = folder?.isPublic ?? draft.isPublic ?? user.publicByDefault
  const visibility = isPublic ? 'public' : 'private'
  const hasFiles = draft.photos.length > 0 || reading

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (draft.photos.length === 0) {
      setMissing(true)
      toast({ title: 'Upload failed', description: 'Please select at least one photo to upload', tone: 'danger' })
      picker.current?.focus()
      return
    }
    startUpload({ description: draft.description.trim(), folderId: folder?.id ?? null, isPublic }, config)
  }

  return (
    <form id={id} noValidate className="grid gap-4" onSubmit={submit}>
      <EarlierFiles />
      <UnfinishedUploads />
      <Requirements config={config} compact={hasFiles} />
      <FilePicker
        ref={picker}
        config={config}
        compact={hasFiles}
        error={missing && draft.photos.length === 0 ? 'At least one photo is required' : undefined}
      />
      <IssueList issues={draft.issues} />
      <Previews draft={draft} reading={reading} />
      <StorageLeft chosenBytes={draft.bytes} />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <FolderSelect folders={folders.data ?? []} folderId={folder?.id ?? null} />
        {folder ? (
          <p className="text-sm text-muted">
            {`“${folder.name}” is ${visibility}, so these photos will be ${visibility} too.`}
          </p>
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
            maxLength={5_000}
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

/** Leads from the form to the files of an earlier upload that can be tried again. */
function EarlierFiles() {
  useQueueVersion()
  const count = queue.store.count(RETRYABLE)
  const isOne = count === 1
  if (count === 0 || queue.isActive) return null
  return (
    <div className="flex items-center justify-between gap-4 rounded-md bg-warn-soft px-4 py-2 text-sm">
      <p>
        {countOf(count, 'photo')} of an earlier upload {isOne ? 'needs' : 'need'} your attention.
      </p>
      <Button size="small" className="shrink-0" onClick={showQueue}>
        Show {isOne ? 'it' : 'them'}
      </Button>
    </div>
  )
}

/** The limits of this installation, and what makes good prints. `compact`: one line, which opens. */
function Requirements({ config, compact }: { config: AppConfig; compact: boolean }) {
  const { limits } = config
  return (
    <details open={!compact} className="group rounded-md bg-accent-soft text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-4 font-semibold sm:min-h-10 [&::-webkit-details-marker]:hidden">
        <Info aria-hidden className="size-4 shrink-0 text-accent" />
        Upload requirements
        <ChevronDown aria-hidden className="ml-auto size-4 text-muted transition group-open:rotate-180" />
      </summary>
      <ul className="list-disc pr-4 pb-3 pl-15 marker:text-muted">
        <li>{sizeRule(config)}</li>
        <li>
          At least {limits.minWidth}x{limits.minHeight} pixels, 1200x1800 or more recommended; at most{' '}
          {formatNumber(Math.floor(limits.maxPixels / 1_000_000))} megapixels
        </li>
        <li>sRGB color space recommended</li>
      </ul>
    </details>
  )
}

function FolderSelect({ folders, folderId }: { folders: Folder[]; folderId: number | null }) {
  const [creating, setCreating] = useState(false)

  function choose(value: string): void {
    if (value === 'new') setCreating(true)
    else changeDraft({ folderId: value === 'none' ? null : Number(value) })
  }

  function use({ id }: Folder): void {
    setCreating(false)
    changeDraft({ folderId: id })
  }

  if (creating) return <NewFolder onCreated={use} onCancel={() => setCreating(false)} />
  return (
    <Field label="Folder">
      {(control) => (
        <Select {...control} value={folderId ?? 'none'} onChange={({ target }) => choose(target.value)}>
          <option value="none">No folder</option>
          <option value="new">New folder…</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
