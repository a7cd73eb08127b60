import { useState } from 'react'
import type { Folder } from '../../api/types.ts'
import { Field, Select } from '../../components/ui/field.tsx'
import { NewFolder } from '../../photos/folder-choice-dialog.tsx'

interface FolderSelectProps {
  folders: Folder[]
  /** Null: no folder. */
  folderId: number | null
  onChange: (folderId: number | null) => void
}

/** The folder of an upload: one of the user's, none, or a new one. */
export function FolderSelect({ folders, folderId, onChange }: FolderSelectProps) {
  const [creating, setCreating] = useState(false)

  function choose(value: string): void {
    if (value === 'new') setCreating(true)
    else onChange(value === 'none' ? null : Number(value))
  }

  function use(folder: Folder): void {
    setCreating(false)
    onChange(folder.id)
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
