import { Button } from '../../components/ui/button.tsx'
import { countOf } from '../../lib/format.ts'
import { showQueue } from './dialog-state.ts'
import { RETRYABLE } from './queue/states.ts'
import { queue, useQueueVersion } from './upload-actions.ts'

/** Leads from the form to the files of an earlier upload that can be tried again. */
export function EarlierFiles() {
  useQueueVersion()
  const count = queue.store.count(RETRYABLE)
  if (count === 0 || queue.isActive) return null
  return (
    <div className="flex items-center justify-between gap-4 rounded-md bg-warn-soft px-4 py-2 text-sm">
      <p>{`${countOf(count, 'photo')} of an earlier upload ${count === 1 ? 'needs' : 'need'} your attention.`}</p>
      <Button size="small" className="shrink-0" onClick={showQueue}>
        Show {count === 1 ? 'it' : 'them'}
      </Button>
    </div>
  )
}
