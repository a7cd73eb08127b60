import type { ComponentProps } from 'react'
import type { PhotoSort } from '../api/photo-lists.ts'
import { Select } from '../components/ui/field.tsx'
import { SORT_LABELS } from './settings.ts'

type SortSelectProps = ComponentProps<'select'> & { value: PhotoSort; onSort: (sort: PhotoSort) => void }

export function SortSelect({ onSort, ...props }: SortSelectProps) {
  return (
    <Select {...props} onChange={(event) => onSort(event.target.value as PhotoSort)}>
      {Object.entries(SORT_LABELS).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  )
}
