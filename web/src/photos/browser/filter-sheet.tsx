import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { DateField, FolderField, LocationField, SortField } from './filter-fields.tsx'
import { isFiltered, NO_FILTERS } from './filters.ts'
import type { ToolbarProps } from './toolbar.tsx'
import { ViewToggle } from './view-toggle.tsx'

type FilterSheetProps = Pick<ToolbarProps, 'filters' | 'onFilter' | 'byFolder' | 'amount' | 'view' | 'onView'> & {
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
        <div className="flex items-center justify-between gap-4">
          <span aria-hidden className="text-sm font-semibold">
            View
          </span>
          <ViewToggle value={view} onChange={onView} />
        </div>
      </div>
    </Dialog>
  )
}
