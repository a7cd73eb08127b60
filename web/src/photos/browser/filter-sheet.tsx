import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import type { PhotoView } from '../grid/photo-layout.ts'
import { DateField, FolderField, LocationField, SortField } from './filter-fields.tsx'
import { type Filters, isFiltered, NO_FILTERS } from './filters.ts'
import { ViewToggle } from './view-toggle.tsx'

/** Filters, order and view of a list, and what changes them. */
export interface ListControls {
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
  /** Offers the filter by folder. */
  byFolder: boolean
  /** The number of matches; null until it is known. */
  amount: string | null
  /** Null: the map is shown, which has no views. */
  view: PhotoView | null
  onView: (view: PhotoView) => void
}

interface FilterSheetProps extends ListControls {
  open: boolean
  onClose: () => void
}

/** Filters, order and view on a phone. Each choice applies at once, to the list behind the sheet. */
export function FilterSheet(props: FilterSheetProps) {
  const { filters, onFilter, byFolder, amount, view, onView, open, onClose } = props
  const field = { filters, onFilter }
  return (
    <Dialog
      open={open}
      onOpenChange={(stays) => !stays && onClose()}
      title="Filters and view"
      footer={
        <>
          <Button disabled={!isFiltered(filters)} onClick={() => onFilter(NO_FILTERS)}>
            Clear filters
          </Button>
          <Button variant="primary" onClick={onClose}>
            Show {amount ?? 'photos'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="Location">{({ id }) => <LocationField {...field} id={id} />}</Field>
        {byFolder && <Field label="Folder">{({ id }) => <FolderField {...field} id={id} />}</Field>}
        <Field label="Date">{({ id }) => <DateField {...field} id={id} />}</Field>
        <Field label="Sort">{({ id }) => <SortField {...field} id={id} />}</Field>
        {view && (
          <div className="flex items-center justify-between gap-4">
            <span aria-hidden className="text-sm font-semibold">
              View
            </span>
            <ViewToggle value={view} onChange={onView} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
