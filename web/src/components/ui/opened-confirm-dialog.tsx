import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { Button } from './button.tsx'
import { DialogFooter, OVERLAY, PANEL, useFocusReturn } from './dialog.tsx'
import { ToastHost } from './toast.tsx'

export interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  confirmLabel: string
  cancelLabel?: string
  /** Called on confirmation; the caller closes the dialog when the work is done. */
  onConfirm: () => void
  busy?: boolean
  danger?: boolean
}

/** The dialog with its behaviour. */
export function OpenedConfirmDialog(props: ConfirmDialogProps) {
  const returnFocus = useFocusReturn(props.open)
  return (
    <AlertDialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={OVERLAY} />
        <AlertDialog.Content data-sheet onCloseAutoFocus={returnFocus} className={cx(PANEL, 'sm:max-w-md')}>
          <div className="grid gap-1.5 px-4 py-5 sm:px-6">
            <AlertDialog.Title className="text-xl font-semibold">{props.title}</AlertDialog.Title>
            <AlertDialog.Description className="text-muted">{props.description}</AlertDialog.Description>
          </div>
          <DialogFooter>
            <AlertDialog.Cancel asChild>
              <Button disabled={props.busy}>{props.cancelLabel ?? 'Cancel'}</Button>
            </AlertDialog.Cancel>
            <Button variant={props.danger ? 'danger' : 'primary'} busy={props.busy} onClick={props.onConfirm}>
              {props.confirmLabel}
            </Button>
          </DialogFooter>
          <ToastHost place="panel" />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
