import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { FilterFields, type ListControls } from './filter-fields.tsx'
import { isFiltered, NO_FILTERS } from './filters.ts'
import { ViewToggle } from './view-toggle.tsx'

/** Filters, order and view on a phone. Each choice applies at once, to the list behind the sheet. */
export function FilterSheet(props: ListControls & { open: boolean; onClose: () => void }) {
  const { filters, onFilter, folderId, amount, view, onView, open, onClose } = props
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
            {`Show ${amount ?? 'photos'}`}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <FilterFields filters={filters} onFilter={onFilter} folderId={folderId} />
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
