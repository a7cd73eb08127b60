import { useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { folderPhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import type { Folder } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { altText } from '../../lib/format.ts'
import { sourcesForRow } from '../../photos/renditions.ts'

/** More of them are chosen in the folder, by a photo's menu. */
const OFFERED = 24
const WIDTH = 96

interface CoverChoiceProps {
  folder: Folder
  /** The id of a photo; null: the newest ones. */
  value: number | null
  error: string | undefined
  onChange: (photoId: number | null) => void
}

/** Chooses the picture of a folder among its newest photos. */
export function CoverChoice({ folder, value, error, onChange }: CoverChoiceProps) {
  const name = useId()
  const page = useQuery(photoPageQuery(folderPhotoList(folder.id), 0))
  const photos = page.data?.items.filter(({ thumbnailUrl }) => thumbnailUrl !== null) ?? []
  const offered = photos.filter(({ id }, index) => index < OFFERED || id === folder.coverPhotoId)
  if (page.isPending) return <Skeleton className="h-24 rounded-md" />
  if (offered.length === 0) return null
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-semibold">Cover</legend>
      <div className="-mx-1 flex gap-2 overflow-x-auto p-1">
        <Option name={name} label="Newest photos" checked={value === null} onChoose={() => onChange(null)}>
          <span className="grid h-full place-content-center justify-items-center gap-0.5 bg-sunken text-xs text-muted">
            <Images aria-hidden className="size-5" />
            Newest
          </span>
        </Option>
        {offered.map((photo) => (
          <Option
            key={photo.id}
            name={name}
            label={altText(photo)}
            checked={value === photo.id}
            onChoose={() => onChange(photo.id)}
          >
            <PhotoImage
              {...sourcesForRow(WIDTH, photo)}
              alt=""
              thumbhash={photo.thumbhash}
              className="h-full rounded-none"
            />
          </Option>
        ))}
      </div>
      <p className="text-sm text-muted">Shown in your folders and in previews of the link.</p>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface OptionProps {
  name: string
  label: string
  checked: boolean
  onChoose: () => void
  children: ReactNode
}

function Option({ name, label, checked, onChoose, children }: OptionProps) {
  return (
    <label className="relative h-16 w-24 shrink-0 cursor-pointer overflow-hidden rounded-md has-checked:outline-3 has-checked:outline-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      {children}
      <input
        type="radio"
        name={name}
        aria-label={label}
        checked={checked}
        onChange={onChoose}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
    </label>
  )
}
