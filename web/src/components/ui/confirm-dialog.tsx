import { lazyComponent } from '../lazy.tsx'

/** Asks for confirmation of an action that cannot be undone. */
export const ConfirmDialog = lazyComponent(
  () => import('./opened-confirm-dialog.tsx').then((code) => code.OpenedConfirmDialog),
  { afterFirstScreen: true },
)
